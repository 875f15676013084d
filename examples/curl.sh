#!/usr/bin/env bash
# Writes to a board, and reads it. Requires a running server: cargo run --release -- serve
#
#   examples/curl.sh [SERVER]
#
# SERVER defaults to http://127.0.0.1:8080. If the server has keys, set MEGABOARD_KEY to one of scope
# write.
set -euo pipefail

server="${1:-http://127.0.0.1:8080}"
board="$server/v1/boards/gifts/room-1"

# Prints a response on a line, and fails if it is a problem.
call() {
    curl --silent --show-error --fail-with-body --write-out '\n' \
        ${MEGABOARD_KEY:+--header "authorization: Bearer $MEGABOARD_KEY"} "$@"
}

echo '# Two contributions: the first creates the board. With its id each counts once, if sent again, too.'
call "$server/v1/contributions" --header 'content-type: application/json' --data '[
    {"board": "gifts/room-1", "member": "ada", "points": 30, "id": "gift-1"},
    {"board": "gifts/room-1", "member": "ben", "points": 20, "id": "gift-2"}]'

echo '# The best ten'
call "$board/top?n=10&window=all"

echo '# A member, its neighbours, and the points that it needs to become first'
call "$board/members/ben?window=all&target=1"

echo '# A page, at any depth'
call "$board/range?from=2&to=3&window=all"

echo '# The board as it changes, for a second: curl ends the stream, with status 28.'
call "$board/stream?n=3&window=all" --no-buffer --max-time 1 || [ $? = 28 ]
