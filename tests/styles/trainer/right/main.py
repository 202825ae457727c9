import argparse

from data import build_loaders
from model import UNet
from trainer import Trainer

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=50)
    args = parser.parse_args()
    train_loader, val_loader = build_loaders(args.root, args.batch_size)
    Trainer(UNet(3, 19), train_loader, val_loader, args.epochs).fit()
