from pathlib import Path

from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms


class Flowers(Dataset):
    def __init__(self, root, split):
        self.paths = sorted(Path(root, split).rglob("*.jpg"))
        self.names = sorted({path.parent.name for path in self.paths})
        self.transform = transforms.Compose([transforms.Resize((256, 256)), transforms.ToTensor()])

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        return self.transform(Image.open(path).convert("RGB")), self.names.index(path.parent.name)
