"""What container files say of shared memory, and how they name what a container runs."""

from __future__ import annotations

RUN = "dlint.containers.start_container"
"""Stands for a container that runs a script, in a file that is lowered to calls."""
COMPOSE = "Compose"
KUBERNETES = "Kubernetes"
DOCKER = "Docker"
SHARED = "/dev/shm"
SIZE = 64 * 1024 * 1024
"""Bytes of it that a container has by default (moby: `DefaultShmSize`)."""
DECIDING = frozenset({"shm_size", "ipc", "extends"})
"""Keys of a Compose service by which its shared memory may have another size."""
DECIDING_POD = frozenset({"hostIPC"})
COMMANDS = ("entrypoint", "command", "args")
"""Keys under which the words of a command stand, in order."""
REMEDIES = {
    COMPOSE: "give the service a `shm_size`",
    KUBERNETES: "mount an `emptyDir` with `medium: Memory` at /dev/shm",
    DOCKER: "give it `--shm-size=8g`, or `--ipc=host`",
}

PROGRAMS = frozenset({"docker", "nvidia-docker", "nvidia-docker2", "podman", "nerdctl"})
"""Programs of the command line that start containers."""
BEFORE_PROGRAMS = frozenset({"sudo", "exec", "time", "nohup", "nice", "env", "command"})
"""Commands that start the program that is named behind them and their flags."""
STARTING = (("run",), ("container", "run"), ("create",), ("container", "create"))
"""Their subcommands that make a container."""
SWITCHES = frozenset(
    {
        "--detach",
        "--disable-content-trust",
        "--init",
        "--interactive",
        "--no-healthcheck",
        "--oom-kill-disable",
        "--privileged",
        "--publish-all",
        "--quiet",
        "--read-only",
        "--rm",
        "--sig-proxy",
        "--tty",
        "--use-api-socket",
        # podman
        "--env-host",
        "--http-proxy",
        "--no-hosts",
        "--replace",
        "--rmi",
        "--rootfs",
        "--tls-verify",
        "--unsetenv-all",
    }
)
"""Options of theirs that take no value behind a blank."""
SHORT_SWITCHES = frozenset("diqtP")
DECIDING_OPTIONS = frozenset({"--shm-size", "--ipc", "--pod", "--pod-id-file", "--volumes-from"})
"""Options by which /dev/shm may have another size, or is another's."""
MOUNT = "--mount"
MOUNTING = frozenset({"-v", "--volume", MOUNT, "--tmpfs"})
"""Options that may put something else in the place of /dev/shm."""
SOURCES = ("source", "src")
TARGETS = ("target", "destination", "dst")
"""Fields of `--mount` that say what is mounted, and where."""
WORKDIR = frozenset({"-w", "--workdir"})
TAGGING = frozenset({"-t", "--tag"})
"""Options of `docker build` that name the image."""
OF_THIS_MACHINE = "localhost/"
"""How podman begins the names of images that were built here."""
ENTRYPOINT = "--entrypoint"
SHELLS = frozenset({"bash", "sh", "zsh"})
"""Programs that are given commands, with `-c`."""
