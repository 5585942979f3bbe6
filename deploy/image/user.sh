#!/bin/sh
# Makes the user that the server runs as, and the folders that it writes to.
set -eu
echo 'quire:x:10001:' >>/etc/group
echo 'quire:x:10001:10001:Quire:/site:/usr/sbin/nologin' >>/etc/passwd
mkdir -p /site/.tmp /site/public/uploads /site/src
chown -R 10001:10001 /site
