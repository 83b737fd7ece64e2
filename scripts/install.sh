#!/bin/sh
# Installs svc from its archive: https://github.com/svc-memory/svc/blob/main/docs/install.md
set -eu

RELEASES=https://github.com/svc-memory/svc/releases

usage() {
  cat <<'TEXT'
Usage: install.sh [ARCHIVE]     install or upgrade svc
       install.sh --uninstall   remove it; memories and settings stay

ARCHIVE is svc-VERSION-PLATFORM.tar.xz or .tar.gz with its .sha256 beside it, a file or an address. Without it, the
latest is downloaded: the smaller .tar.xz where xz is installed. An installed svc upgrades itself, with a backup and a way back: svc upgrade

As root, svc goes to /opt/svc and /usr/local/bin; otherwise to ~/.local/lib/svc and ~/.local/bin.

Environment:
  SVC_VERSION        version to download (default: the latest)
  SVC_DOWNLOAD_URL   folder to download from, instead of the project's releases
  SVC_INSTALL_DIR    folder for the program
  SVC_BIN_DIR        folder for the command
TEXT
}

say() { printf '%s\n' "$*"; }

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# Writes the folders of the program and of the command to `folder` and `bin`.
choose_folders() {
  if [ "$(id -u)" -eq 0 ]; then
    folder=/opt/svc bin=/usr/local/bin
  else
    [ -n "${HOME:-}" ] || fail 'HOME is not set. Set it, or SVC_INSTALL_DIR and SVC_BIN_DIR.'
    folder=$HOME/.local/lib/svc bin=$HOME/.local/bin
  fi
  folder=${SVC_INSTALL_DIR:-$folder}
  bin=${SVC_BIN_DIR:-$bin}
  case $folder in /*) ;; *) fail "SVC_INSTALL_DIR must be an absolute path, got $folder." ;; esac
  case $bin in /*) ;; *) fail "SVC_BIN_DIR must be an absolute path, got $bin." ;; esac
}

# Prints the platform as Node.js names it.
platform() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no archive for $(uname -s). Install with npm instead: npm install -g svc-memory" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "there is no archive for $(uname -m). Install with npm instead: npm install -g svc-memory" ;;
  esac
  say "$system-$machine"
}

# get URL FILE
get() {
  if has curl; then
    curl -fsSL --retry 2 -o "$2" "$1"
  else
    wget -q -O "$2" "$1"
  fi
}

# download URL FILE
download() {
  get "$1" "$2" || fail "cannot download $1. Check the address and the network, or give a downloaded archive as argument."
}

# Prints the newest version that is published, from the address that the latest release redirects to.
latest_version() {
  if has curl; then
    address=$(curl -fsSLI -o /dev/null -w '%{url_effective}' "$RELEASES/latest") || address=
  else
    address=$(wget -q -S --spider "$RELEASES/latest" 2>&1 | sed -n 's/^ *[Ll]ocation: //p' | tail -n 1) || address=
  fi
  case $address in
    */tag/v*) say "${address##*/tag/v}" ;;
    *) fail "cannot find the latest version at $RELEASES. Set SVC_VERSION, or give a downloaded archive as argument." ;;
  esac
}

# Whether tar can unpack .tar.xz: it runs xz, and that of macOS needs no program.
unpacks_xz() {
  has xz || [ "$(uname -s)" = Darwin ]
}

# Prints the address of the archive for this platform, without .tar.gz or .tar.xz.
released_archive() {
  target=$(platform) || exit 1
  version=${SVC_VERSION:-$(latest_version)} || exit 1
  base=${SVC_DOWNLOAD_URL:-$RELEASES/download/v$version}
  say "${base%/}/svc-$version-$target"
}

# Downloads the archive $2, or the latest one, and its checksum to the folder $1 and writes the path to `archive`.
fetch_archive() {
  has curl || has wget || fail 'neither curl nor wget is installed. Install one, or give a downloaded archive as argument.'
  address=$2
  if [ -z "$address" ]; then
    address=$(released_archive) || exit 1
    # A folder of SVC_DOWNLOAD_URL may have only one of the two.
    if unpacks_xz && get "$address.tar.xz.sha256" "$1/found" 2>/dev/null; then address=$address.tar.xz
    else address=$address.tar.gz
    fi
  fi
  say "Downloading $address"
  archive=$1/${address##*/}
  download "$address" "$archive"
  download "$address.sha256" "$archive.sha256"
}

checksum() {
  if has sha256sum; then sha256sum "$1"
  elif has shasum; then shasum -a 256 "$1"
  else fail 'neither sha256sum nor shasum is installed, so the archive cannot be verified. Install coreutils.'
  fi
}

verify() {
  [ -f "$1" ] || fail "there is no file $1."
  [ -f "$1.sha256" ] || fail "there is no checksum $1.sha256. Download it from where the archive comes from."
  expected=$(cut -d ' ' -f 1 <"$1.sha256")
  actual=$(checksum "$1")
  actual=${actual%% *}
  [ "$actual" = "$expected" ] || fail "$1 is damaged or was changed: its SHA-256 is $actual, not $expected. Download it again."
}

# switch TARGET LINK: makes LINK lead to TARGET in one step.
switch() {
  rm -f "$2.new"
  ln -s "$1" "$2.new"
  # GNU and BusyBox, BSD: do not move into the folder that the link leads to.
  mv -fT "$2.new" "$2" 2>/dev/null || mv -fh "$2.new" "$2"
}

# Whether the path is free or a link of ours.
is_ours() {
  [ -h "$1" ] || [ ! -e "$1" ]
}

install() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  archive=${1:-}
  case $archive in '' | http://* | https://*) fetch_archive "$scratch" "$archive" ;; esac
  verify "$archive"
  compression=z
  case $archive in *.xz) compression=J ;; esac
  [ "$compression" = z ] || unpacks_xz || fail "$archive needs xz. Install xz-utils (Debian) or xz, or use the .tar.gz."
  is_ours "$bin/svc" || fail "$bin/svc is another program. Move it away, or choose another folder with SVC_BIN_DIR."
  name=${archive##*/}
  name=${name%.tar.?z}
  say "Installing $name to $folder, with the command in $bin"
  mkdir -p "$folder" "$bin" || fail "cannot create $folder and $bin. Choose others with SVC_INSTALL_DIR and SVC_BIN_DIR."

  # Beside its final place, so that moving it there is one step.
  unpacked=$folder/.new
  rm -rf "$unpacked"
  mkdir "$unpacked"
  # Its files belong to whoever installs: root's tar would give them to the users that the archive names.
  tar "-xo${compression}f" "$archive" -C "$unpacked" || fail "cannot unpack $archive. Is the disk full?"
  { [ -d "$unpacked/$name" ] && [ ! -h "$unpacked/$name" ]; } || fail "$archive has no folder $name."
  found=$("$unpacked/$name/svc" --version) || fail "this archive does not run on this machine: $unpacked/$name/svc --version fails."
  previous=$(readlink "$folder/current" 2>/dev/null || true)
  # Repairs an installation of the same version without a moment in which there is none.
  version=$found
  while [ -e "$folder/$version" ]; do version=$version+; done
  mv "$unpacked/$name" "$folder/$version"
  rmdir "$unpacked"
  switch "$version" "$folder/current"
  switch "$folder/current/svc" "$bin/svc"
  remove_others "$version" "$previous"
  report "$found" "$previous"
}

# Removes versions but the two given: a daemon may still run the previous one.
remove_others() {
  for other in "$folder"/[0-9]*; do
    case ${other##*/} in "$1" | "$2") ;; *) rm -rf "$other" ;; esac
  done
}

report() {
  if [ -n "$2" ]; then
    say "svc $1 is installed; before it was ${2%%+*}. Restart a running daemon: it still runs the old version."
  else
    say "svc $1 is installed."
  fi
  case :${PATH:-}: in
    *":$bin:"*) command=svc ;;
    *)
      command=$bin/svc
      say "$bin is not on your PATH. To type svc alone, add it: export PATH=\"$bin:\$PATH\""
      ;;
  esac
  say "Start it with:  $command serve     then, in another terminal:  $command login"
}

# Whether `svc service status` with these options knows a service, running or not.
is_service() {
  code=0
  "$bin/svc" service status "$@" >/dev/null 2>&1 || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 4 ]
}

uninstall() {
  if [ ! -h "$folder/current" ] && [ ! -h "$bin/svc" ]; then
    say "svc is not installed in $folder. Nothing was removed."
    return
  fi
  if is_service; then fail "a service runs svc. Remove it first: $bin/svc service uninstall"; fi
  if is_service --system; then fail "a service runs svc. Remove it first: $bin/svc service uninstall --system"; fi
  say "Removing $folder and $bin/svc"
  case $(readlink "$bin/svc" 2>/dev/null || true) in "$folder"/*) rm -f "$bin/svc" ;; esac
  for version in "$folder"/[0-9]*; do rm -rf "$version"; done
  rm -rf "$folder/current" "$folder/.new" "$folder/.upgrade" "$folder"/upgrade.*
  rmdir "$folder" 2>/dev/null || say "$folder has other files and stays."
  if [ "$(uname -s)" = Darwin ]; then
    data="$HOME/Library/Application Support/svc" settings=$HOME/Library/Preferences/svc
  else
    data=${XDG_DATA_HOME:-${HOME:-/root}/.local/share}/svc settings=${XDG_CONFIG_HOME:-${HOME:-/root}/.config}/svc
  fi
  say "Memories and settings stay. Unless you chose other folders, they are in:"
  say "  $data"
  say "  $settings"
  say "Those of a system service are in /var/lib/svc and /etc/svc."
}

case ${1:-} in
  -h | --help) usage ;;
  --uninstall)
    choose_folders
    uninstall
    ;;
  -*)
    usage >&2
    exit 2
    ;;
  *)
    choose_folders
    install "$@"
    ;;
esac
