"""Facts of made-up machines: other CPUs, containers, disks, and files that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.measurement.environment import collect, describe, versions
from ciphermark.measurement.host import aes_instructions, cpu_model, read_host
from ciphermark.measurement.limits import cpu_quota, memory_limit_bytes
from ciphermark.measurement.storage import mount_of, parse_mounts, read_storage

X86 = """\
processor\t: 0
model name\t: Example(R)  CPU   @ 2.40GHz
flags\t\t: fpu aes sse4_2 hypervisor avx2 pclmulqdq sha_ni vaes

processor\t: 1
model name\t: Another
"""
ARM = """\
processor\t: 0
Features\t: fp asimd aes pmull sha1 sha2 sm4
CPU implementer\t: 0x41
CPU part\t: 0xd0c
"""
MOUNTS = r"""
22 27 0:21 / /proc rw - proc proc rw
27 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw,discard
30 27 0:30 / /mnt/my\040disk rw - xfs /dev/sdb rw
31 27 0:31 / /dev/shm rw - tmpfs tmpfs rw
32 27 0:32 / /srv rw - nfs4 server:/x rw
33 27 0:33 / /cdrom ro - iso9660 /dev/sr0 rw
34 27 0:34 / /half rw - ext4 /dev/sdc ro
broken line
"""


def write(root: Path, files: dict[str, str]) -> Path:
    """Makes files below a root, with their folders."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_the_cpu_names_itself() -> None:
    assert cpu_model(X86) == "Example(R) CPU @ 2.40GHz"
    assert cpu_model(ARM) == "implementer 0x41, part 0xd0c"
    assert cpu_model("") == ""


def test_instructions_for_ciphers_are_found_on_both_architectures() -> None:
    assert aes_instructions(X86) == ("aes", "vaes", "pclmulqdq", "sha_ni", "avx2")
    assert aes_instructions(ARM) == ("aes", "pmull", "sha1", "sha2", "sm4", "asimd")
    assert aes_instructions("processor: 0") == ()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/mnt/my disk/data", "xfs"),
        ("/mnt/my diskette", "ext4"),
        ("/dev/shm/x", "tmpfs"),
        ("/srv", "nfs4"),
        ("/", "ext4"),
    ],
)
def test_a_folder_lies_on_the_nearest_mount_above_it(folder: str, kind: str) -> None:
    assert mount_of(Path(folder), parse_mounts(MOUNTS)).kind == kind


def test_a_file_system_is_read_only_if_either_side_says_so() -> None:
    mounts = parse_mounts(MOUNTS)
    for folder in ("/cdrom", "/half"):
        options = mount_of(Path(folder), mounts).options
        assert "ro" in options
        assert "rw" not in options
    assert "ro" not in mount_of(Path("/"), mounts).options


def machine_with_disk(root: Path, device: str, files: dict[str, str]) -> Path:
    """A machine whose root file system is on a block device with such files."""
    write(root, {"proc/self/mountinfo": "27 1 254:1 / / rw - ext4 /dev/x rw\n"})
    disk = root / "sys/devices" / device
    write(disk, {"size": "1000", **files})
    (root / "sys/dev/block").mkdir(parents=True)
    (root / "sys/dev/block/254:1").symlink_to(disk)
    return root


@pytest.mark.parametrize(
    ("device", "files", "words"),
    [
        ("nvme0n1", {"queue/rotational": "0", "device/model": "ACME 1"}, "ACME 1, solid state"),
        ("sda", {"queue/rotational": "1"}, "rotating"),
        ("vda", {"queue/rotational": "1"}, "virtual disk"),
        ("loop3", {}, "file as a disk"),
        ("dm-0", {"slaves/sda": "", "dm/name": "luks"}, "on sda (luks)"),
    ],
)
def test_a_disk_is_described(
    tmp_path: Path, device: str, files: dict[str, str], words: str
) -> None:
    root = machine_with_disk(tmp_path, device, files)
    disk = read_storage(tmp_path, root).disk
    assert device in disk
    assert words in disk


def test_a_partition_is_described_as_its_disk(tmp_path: Path) -> None:
    root = machine_with_disk(tmp_path, "sda/sda1", {"partition": "1"})
    write(root / "sys/devices/sda", {"queue/rotational": "0"})
    assert read_storage(tmp_path, root).disk == "sda (solid state)"


def test_a_folder_that_is_not_there_yet_is_where_it_will_be(tmp_path: Path) -> None:
    assert read_storage(tmp_path / "a/b").free_bytes == pytest.approx(
        read_storage(tmp_path).free_bytes, rel=0.1
    )


def test_the_tightest_cpu_limit_above_a_process_holds(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "proc/self/cgroup": "0::/outer/inner\n",
            "sys/fs/cgroup/outer/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/outer/inner/cpu.max": "max 100000\n",
            "sys/fs/cgroup/outer/inner/memory.max": "max\n",
            "sys/fs/cgroup/outer/memory.max": "1048576\n",
        },
    )
    assert cpu_quota(root) == 1.5
    assert memory_limit_bytes(root) == 1048576


def test_limits_of_the_first_version_of_control_groups_are_read(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "proc/self/cgroup": "3:cpu,cpuacct:/a\n4:memory:/\n",
            "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "50000",
            "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
        },
    )
    assert cpu_quota(root) == 0.5
    assert memory_limit_bytes(root) is None


def test_no_control_group_means_no_limit(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path) is None
    assert memory_limit_bytes(tmp_path) is None
    root = write(
        tmp_path,
        {"proc/self/cgroup": "3:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1"},
    )
    assert cpu_quota(root) is None


def test_a_whole_machine_is_read(tmp_path: Path) -> None:
    cpu = "sys/devices/system/cpu"
    root = write(
        tmp_path,
        {
            "proc/cpuinfo": X86,
            "proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 400 kB\nHugePages_Total: 0\n",
            "proc/self/mountinfo": MOUNTS,
            "etc/os-release": 'NAME="Example"\nPRETTY_NAME="Example Linux 1"\n',
            "run/.containerenv": "",
            "sys/class/dmi/id/product_name": "Hypercloud",
            f"{cpu}/cpufreq/policy0/scaling_governor": "powersave\n",
            f"{cpu}/cpufreq/policy1/scaling_governor": "powersave\n",
            f"{cpu}/intel_pstate/no_turbo": "0\n",
        },
    )
    facts = read_host(tmp_path, root)
    assert facts.memory_bytes == 1000 * 1024
    assert facts.memory_available_bytes == 400 * 1024
    assert facts.operating_system == "Example Linux 1"
    assert facts.virtualization == "container, virtual machine (Hypercloud)"
    assert facts.governor == "powersave"
    assert facts.turbo == "on"
    assert facts.cores_usable >= 1
    environment = describe(facts)
    assert environment.cpu_model == "Example(R) CPU @ 2.40GHz"
    assert environment.file_system.startswith("ext4 on /dev/vda1")
    assert "the CPU frequency governor is powersave" in environment.warnings


def test_a_machine_that_shows_nothing_can_still_be_described(tmp_path: Path) -> None:
    environment = collect(tmp_path, root=tmp_path)
    assert environment.cpu_model
    assert environment.file_system == "unknown on unknown"
    assert environment.disk == ""


def test_this_machine_can_be_described(tmp_path: Path) -> None:
    environment = collect(tmp_path)
    assert environment.memory_bytes > 1 << 26
    assert environment.kernel.startswith("Linux ")
    assert environment.file_system != "unknown on unknown"


def test_versions_name_what_figures_depend_on() -> None:
    found = versions()
    assert {"ciphermark", "Python", "numpy", "SQLite", "SQLite3 Multiple Ciphers"} <= set(found)
    assert all(found.values())
