source "${BASH_SOURCE[0]%/*}/verify.sh"

# decode FIELD: into the variable `text`, line breaks at the end included.
decode() {
  text=''
  [ "$1" = - ] || text=$(base64 -d <<<"$1" && printf x) && text=${text%x}
}

body=$(mktemp)
trap 'rm -f "$body"' EXIT
while read -r NOW timestamp signature previous secrets content; do
  if [ "$content" = - ]; then : >"$body"; else base64 -d <<<"$content" >"$body"; fi
  decode "$secrets"
  mapfile -t secrets <<<"$text"
  decode "$signature"
  signatures=$text
  decode "$previous"
  signatures=$signatures,$text
  decode "$timestamp"
  if verify "$body" "$text" "$signatures" "${secrets[@]}"; then echo valid; else echo refused; fi
done
