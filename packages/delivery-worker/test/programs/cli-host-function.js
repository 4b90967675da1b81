// The default export may be an async function.
export default async () => (await import('./cli-host.js')).integrations
