/** The secrets in a text: API keys, signing secrets, and the passwords of the given connection strings. */
export function secretsIn(text: string, databaseUrls: readonly string[] = []): string[] {
  const passwords = databaseUrls.map((url) => new URL(url).password).filter((password) => password !== '')
  return [
    ...(text.match(/pk_[0-9A-Za-z]{20,}/g) ?? []),
    ...(text.match(/whsec_[0-9A-Za-z+/=]{8,}/g) ?? []),
    ...passwords.filter((password) => text.includes(password)),
  ]
}
