from torch import nn


class UNet(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, classes, 1)
        )

    def forward(self, x):
        return self.body(x)
