"""Made-up machines with GPUs: device nodes as sysfs has them, processes with descriptors and their fdinfo."""
import zlib

TAIL = '18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0'
DEVICES = 'Character devices:\n  1 mem\n226 drm\n261 accel\n\nBlock devices:\n  8 sd\n'


def base(**extra):
    """What every machine has."""
    return {'proc/devices': DEVICES, 'proc/meminfo': 'MemTotal: 1000000 kB\nMemFree: 1 kB\n',
            'etc/passwd': 'root:x:0:0::/:/bin/sh\n', **extra}


def drm(card, pdev, driver, attributes=None, hwmon=None, render=None, status='active'):
    """A card. attributes: files below its device; hwmon: of its meter; status: None for no runtime power management."""
    render = 128 + card if render is None else render
    at = f'sys/devices/pci0000:00/{pdev}'
    files = {f'{at}/uevent': f'PCI_SLOT_NAME={pdev}\n', f'{at}/class': '0x030000\n',
             f'{at}/driver': ('link', f'../../../bus/pci/drivers/{driver}'),
             f'sys/bus/pci/drivers/{driver}/module': '',
             f'sys/bus/pci/devices/{pdev}': ('link', f'../../../devices/pci0000:00/{pdev}')}
    for name, minor in ((f'card{card}', card), (f'renderD{render}', render)):
        files[f'sys/class/drm/{name}'] = ('link', f'../../devices/pci0000:00/{pdev}/drm/{name}')
        files[f'{at}/drm/{name}/dev'] = f'226:{minor}\n'
        files[f'{at}/drm/{name}/device'] = ('link', '../../../' + pdev)
    if status is not None:
        files[f'{at}/power/runtime_status'] = status + '\n'
    for name, text in (attributes or {}).items():
        files[f'{at}/{name}'] = text
    if hwmon is not None:
        number = zlib.crc32(pdev.encode()) % 90 + 10
        files[f'sys/class/hwmon/hwmon{number}'] = ('link', f'../../devices/pci0000:00/{pdev}/hwmon/hwmon{number}')
        files[f'{at}/hwmon/hwmon{number}/device'] = ('link', '../../../' + pdev)
        files[f'{at}/hwmon/hwmon{number}/name'] = driver + '\n'
        for name, text in hwmon.items():
            files[f'{at}/hwmon/hwmon{number}/{name}'] = text
    return files


def accel(number, pdev, driver, attributes=None, status='active'):
    """An accelerator, as class accel has it."""
    at = f'sys/devices/pci0000:00/{pdev}'
    files = {f'{at}/uevent': f'PCI_SLOT_NAME={pdev}\n',
             f'{at}/driver': ('link', f'../../../bus/pci/drivers/{driver}'),
             f'sys/bus/pci/drivers/{driver}/module': '',
             f'sys/class/accel/accel{number}': ('link', f'../../devices/pci0000:00/{pdev}/accel/accel{number}'),
             f'{at}/accel/accel{number}/dev': f'261:{number}\n',
             f'{at}/accel/accel{number}/device': ('link', '../../../' + pdev)}
    if status is not None:
        files[f'{at}/power/runtime_status'] = status + '\n'
    for name, text in (attributes or {}).items():
        files[f'{at}/{name}'] = text
    return files


def process(pid, comm, descriptors=None, ppid=1, start=5000, ticks=10):
    """A process. descriptors: {fd: (node, fdinfo text)}, node as 'dri/renderD128'; ticks: so that it has run."""
    files = {f'proc/{pid}/stat': f'{pid} ({comm}) S {ppid} {pid} {pid} 0 -1 4194304 10 0 0 0 {ticks} 0 0 0 20 0 1 0 {start} '
                                 f'204800000 5000 {TAIL}\n',
             f'proc/{pid}/comm': comm + '\n', f'proc/{pid}/fd': None, f'proc/{pid}/fdinfo': None}
    for fd, (node, text) in (descriptors or {}).items():
        files[f'proc/{pid}/fd/{fd}'] = ('link', f'/dev/{node}')
        files[f'proc/{pid}/fdinfo/{fd}'] = 'pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t100\n' + text
    return files


def info(driver, client, pdev=None, **keys):
    """fdinfo of a client: keys with _ for -."""
    text = f'drm-driver:\t{driver}\n'
    if pdev:
        text += f'drm-pdev:\t{pdev}\n'
    if client is not None:
        text += f'drm-client-id:\t{client}\n'
    for key, value in keys.items():
        text += f'drm-{key.replace("_", "-")}:\t{value}\n'
    return text


def nvidia(pdev, status='active'):
    """A card of NVIDIA's on the PCI bus, without a node of DRM."""
    at = f'sys/devices/pci0000:00/{pdev}'
    files = {f'{at}/vendor': '0x10de\n', f'{at}/class': '0x030200\n', f'{at}/uevent': f'DRIVER=nvidia\nPCI_SLOT_NAME={pdev}\n',
             f'{at}/driver': ('link', '../../../bus/pci/drivers/nvidia'), 'sys/bus/pci/drivers/nvidia/module': '',
             f'sys/bus/pci/devices/{pdev}': ('link', f'../../../devices/pci0000:00/{pdev}')}
    if status is not None:
        files[f'{at}/power/runtime_status'] = status + '\n'
    return files
