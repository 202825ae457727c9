import pytorch_lightning as pl
from datamodule import Products
from module import Classifier


def main():
    data = Products("data/products")
    model = Classifier(lr=3e-4)
    trainer = pl.Trainer(accelerator="gpu", devices=4, strategy="ddp", max_epochs=30)
    trainer.fit(model, datamodule=data)


if __name__ == "__main__":
    main()
