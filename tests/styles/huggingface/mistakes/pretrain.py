from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)

tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token


def tokenize(batch):
    return tokenizer(batch["text"], truncation=True, max_length=1024)


if __name__ == "__main__":
    stream = load_dataset("allenai/c4", "en", split="train", streaming=True)
    stream = stream.map(tokenize, batched=True, remove_columns=["text", "timestamp", "url"])
    args = TrainingArguments(  # want: stream-without-max-steps, invalid-loader-arguments
        output_dir="out",
        per_device_train_batch_size=8,
        num_train_epochs=1,
        dataloader_num_workers=0,
        dataloader_prefetch_factor=4,
        bf16=True,
    )
    trainer = Trainer(
        model=AutoModelForCausalLM.from_pretrained("gpt2"),
        args=args,
        train_dataset=stream,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train()
