"""Messages of a program without rendering, report, models and units: left_out_test.py <scree without them>"""
import subprocess
import sys

for command, option, package in (("render", "-DSCREE_RENDER=ON", "libembree-dev"), ("report", "-DSCREE_REPORT=ON", "libembree-dev"),
                                 ("watch", "-DSCREE_REPORT=ON", "libembree-dev"), ("model", "-DSCREE_MODELS=ON", "libginac-dev"),
                                 ("fmu", "-DSCREE_FMU=ON", "libzip-dev")):
    for arguments in ([], ["no/such/folder", "--whatever", "it", "was"]):
        done = subprocess.run([sys.argv[1], command, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 11, done
        assert f"no `scree {command}`" in done.stderr and option in done.stderr, done
        assert package in done.stderr and not done.stdout, done
listed = subprocess.run([sys.argv[1], "--help"], capture_output=True, text=True, check=True).stdout
assert listed.count("(not in this build)") == 5, listed
