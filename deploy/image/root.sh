#!/bin/sh
# Makes the root folder of the image: the environment that Quire is installed in, its Python, a
# shell, the programs that back up PostgreSQL, the shared libraries that all of them need, and the
# user that the server runs as. Runs as root.
#
#   sh root.sh FOLDER [ENVIRONMENT]
set -eu
root=$1
environment=${2:-/opt/quire}

copy() {
	for path; do
		mkdir -p "$root${path%/*}"
		cp -a "$path" "$root$path"
	done
}

python=$environment/bin/python
library=$("$python" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
copy "$environment" "$library"

# The programs that the environment links to, perhaps by other links.
link=$python
while [ -L "$link" ]; do
	target=$(readlink "$link")
	case $target in
	/*) link=$target ;;
	*) link=${link%/*}/$target ;;
	esac
	[ -e "$root$link" ] || copy "$link"
done

# What the standard library has for developers, and for programs with windows.
(
	cd "$root$library"
	rm -rf config-* dist-packages ensurepip idlelib lib2to3 pydoc_data site-packages test tkinter turtledemo
	rm -f lib-dynload/_test*.so lib-dynload/_ctypes_test*.so lib-dynload/_tkinter*.so lib-dynload/xx*.so
)
# What packages have for their own tests, for type checkers and compilers, and for other databases.
for top in "$root$library" "$root$environment"; do
	find "$top" -depth \( -name __pycache__ -o -name tests -o -name test \) -type d -exec rm -rf {} +
	find "$top" -type f \( -name '*.pyi' -o -name '*.py[xc]' -o -name '*.pxd' -o -name '*.[cha]' \) -delete
done
(
	cd "$root$environment"/lib/python*/site-packages/sqlalchemy
	rm -rf testing dialects/mssql dialects/mysql dialects/oracle
)

mkdir -p "$root/bin"
for program in sh sleep ls cat; do
	cp -L "$(command -v "$program")" "$root/bin/$program"
done
# Those in PATH are scripts that look for the installed versions.
for program in pg_dump pg_restore psql; do
	for path in /usr/lib/postgresql/*/bin/"$program"; do
		[ ! -x "$path" ] || cp -L "$path" "$root/bin/$program"
	done
done

# Shared libraries: those that something is linked with, and one that threads load when they end.
binaries() {
	find "$root" -type f \( -name '*.so' -o -name '*.so.*' -o -path '*/bin/*' \)
}
binaries | xargs -d '\n' ldd 2>/dev/null |
	awk '$2 == "=>" && $3 ~ "^/" { print $3 } $1 ~ "^/" && $2 ~ "^[(]" { print $1 }' |
	{ cat && find /lib/*-linux-gnu -name libgcc_s.so.1; } | sort -u |
	while read -r path; do
		case $path in
		"$root"*) ;;
		*) mkdir -p "$root${path%/*}" && cp -L "$path" "$root$path" ;;
		esac
	done
# Debug symbols are a fifth of it. Libraries that a wheel carries along are packed so that they break.
# strip fails for scripts, which are among these files.
binaries | grep -v '\.libs/' | xargs -d '\n' strip --strip-unneeded 2>/dev/null || true

# The files of an image never change, so nothing has to be compared when a module is imported.
# It fails for files that are no modules of this Python, such as examples of other versions.
"$python" -m compileall -q --invalidation-mode unchecked-hash -s "$root" -p / \
	"$root$library" "$root$environment" || true

mkdir -p "$root/etc/ssl/certs"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp -a /etc/ld.so.conf /etc/ld.so.conf.d "$root/etc/"
ldconfig -r "$root"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
echo 'quire:x:10001:' >"$root/etc/group"
echo 'quire:x:10001:10001:Quire:/site:/bin/sh' >"$root/etc/passwd"
mkdir -p "$root/tmp" "$root/proc" "$root/dev" "$root/site/.tmp" "$root/site/public/uploads" "$root/site/src" "$root/backups"
chmod 1777 "$root/tmp"
chown -R 10001:10001 "$root/site" "$root/backups"
