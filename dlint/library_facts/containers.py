"""What container files say of shared memory, and how they name what a container runs."""

from __future__ import annotations

RUN = "dlint.containers.start_container"
"""Stands for a container that runs a script, in a file that is lowered to calls."""
COMPOSE = "Compose"
KUBERNETES = "Kubernetes"
SHARED = "/dev/shm"
DECIDING = frozenset({"shm_size", "ipc", "extends"})
"""Keys of a Compose service by which its shared memory may have another size."""
DECIDING_POD = frozenset({"hostIPC"})
COMMANDS = ("entrypoint", "command", "args")
"""Keys under which the words of a command stand, in order."""
REMEDIES = {
    COMPOSE: "give the service a `shm_size`",
    KUBERNETES: "mount an `emptyDir` with `medium: Memory` at /dev/shm",
}
