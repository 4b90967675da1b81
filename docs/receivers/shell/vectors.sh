source "${BASH_SOURCE[0]%/*}/verify.sh"

# decode FIELD: into the variable `text`, line breaks at the end included.
decode() {
  text=''
  [ "$1" = - ] || text=$(base64 -d <<<"$1" && printf x) && text=${text%x}
}

body=$(mktemp)
trap 'rm -f "$body"' EXIT
while read -r NOW timestamp signature previous secrets content id; do
  if [ "$content" = - ]; then : >"$body"; else base64 -d <<<"$content" >"$body"; fi
  decode "$secrets"
  mapfile -t secrets <<<"$text"
  decode "$signature"
  signatures=$text
  decode "$timestamp"
  timestamp=$text
  if [ -n "$id" ]; then
    decode "$id"
    arguments=(verify_standard "$body" "$text" "$timestamp" "$signatures" "${secrets[0]}")
  else
    decode "$previous"
    arguments=(verify "$body" "$timestamp" "$signatures,$text" "${secrets[@]}")
  fi
  reason=$("${arguments[@]}" 2>&1)
  case $? in
    0) echo valid ;;
    1) echo refused ;;
    *) echo "$reason" ;;
  esac
done
