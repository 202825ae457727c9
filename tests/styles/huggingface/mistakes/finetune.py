import numpy as np
from datasets import load_dataset
from torchvision.transforms import Compose, Normalize, RandomResizedCrop, ToTensor
from transformers import AutoImageProcessor, AutoModelForImageClassification, Trainer, TrainingArguments

checkpoint = "google/vit-base-patch16-224-in21k"
processor = AutoImageProcessor.from_pretrained(checkpoint)
augment = Compose(
    [RandomResizedCrop(224), ToTensor(), Normalize(processor.image_mean, processor.image_std)]
)


def transform(examples):
    examples["pixel_values"] = [augment(image.convert("RGB")) for image in examples["image"]]
    del examples["image"]
    return examples


def metrics(prediction):
    logits, labels = prediction
    return {"accuracy": (np.argmax(logits, axis=1) == labels).mean()}


class LoggingTrainer(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.step_losses = []

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        outputs = model(**inputs)
        self.step_losses.append(outputs.loss)  # want: loss-history-kept
        return (outputs.loss, outputs) if return_outputs else outputs.loss


def main():
    food = load_dataset("food101", split="train").train_test_split(test_size=0.1)
    food = food.with_transform(transform)
    labels = food["train"].features["label"].names
    model = AutoModelForImageClassification.from_pretrained(checkpoint, num_labels=len(labels))
    args = TrainingArguments(  # want: zero-workers
        output_dir="food",
        per_device_train_batch_size=32,
        num_train_epochs=5,
        remove_unused_columns=False,
        fp16=True,
    )
    LoggingTrainer(
        model=model,
        args=args,
        train_dataset=food["train"],
        eval_dataset=food["test"],
        compute_metrics=metrics,
    ).train()


if __name__ == "__main__":
    main()
