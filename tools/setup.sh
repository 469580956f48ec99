#!/bin/sh
# Sets up what `make` needs, and only inside the checkout and through apt.
#
#   tools/setup.sh environment VENV REQUIREMENTS   virtual environment with exactly the locked packages
#   tools/setup.sh pango                           the libraries that write a PDF
#   tools/setup.sh has-pango                       are they there? (exit code)
#   tools/setup.sh optional PACKAGE...             Debian packages that some tests look for
#
# Debian packages are installed where that is possible without a question: as root, or by
# passwordless sudo. Elsewhere they are named. The system's Python is never installed into.
set -eu
cd "$(dirname "$0")/.."

PANGO="libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"

say() { printf '%s\n' "$*" >&2; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

can_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

apt_install() {
    can_install || return 1
    say "Installing $* through apt-get"
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "$@" >/dev/null 2>&1 && return
    # A new machine has no package lists yet, an old one stale ones.
    as_root apt-get update -qq >&2 || return 1
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

# --- Python -----------------------------------------------------------------------

is_python() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for python in ${PYTHON:-} python3.11 python3 python3.12 python3.13 python3.14; do
        if is_python "$python"; then
            printf '%s\n' "$python"
            return
        fi
    done
    say "Python 3.11 or newer was not found. Install python3, or name it: make PYTHON=/path/to/python3"
    return 1
}

need_venv() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null && return
    apt_install python3-venv && "$1" -c 'import ensurepip, venv' 2>/dev/null && return
    say "$1 cannot make virtual environments. Install its venv package:"
    say "    apt-get install python3-venv"
    return 1
}

environment() {
    venv=$1 requirements=$2
    if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        python=$(find_python)
        need_venv "$python"
        say "Making $venv with $("$python" --version)"
        "$python" -m venv --clear "$venv"
    fi
    say "Installing the packages of $requirements"
    pip="$venv/bin/python -m pip --quiet --disable-pip-version-check --no-input"
    $pip install --require-hashes --no-deps --only-binary :all: -r "$requirements"
    $pip install --no-deps --no-build-isolation --editable .
    $pip check
}

# --- Pango ------------------------------------------------------------------------

has_pango() {
    "$(find_python)" - <<'PYTHON'
import ctypes, ctypes.util, sys

def there(library, version):
    names = [f"{library}.so.{version}", f"{library}.{version}.dylib", ctypes.util.find_library(library[3:])]
    for name in filter(None, names):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False

libraries = {"libpango-1.0": 0, "libpangoft2-1.0": 0, "libharfbuzz-subset": 0}
sys.exit(not all(there(library, version) for library, version in libraries.items()))
PYTHON
}

pango() {
    has_pango && return
    # shellcheck disable=SC2086
    apt_install $PANGO && has_pango && return
    say "Pango is missing, which the PDF needs; everything else works without it. Install it:"
    say "    apt-get install $PANGO"
}

optional() {
    missing=""
    for package in "$@"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
    done
    # shellcheck disable=SC2086
    [ -z "$missing" ] || apt_install $missing ||
        say "Not installed:$missing. The tests that need them are skipped."
}

case "${1:-}" in
    environment) environment "$2" "$3" ;;
    pango) pango ;;
    has-pango) has_pango ;;
    optional) shift && optional "$@" ;;
    *) say "usage: tools/setup.sh environment VENV REQUIREMENTS | pango | has-pango | optional PACKAGE..." && exit 2 ;;
esac
