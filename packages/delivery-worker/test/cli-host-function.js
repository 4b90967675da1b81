// The default export may be a function, and wait for what it needs.
export default async () => (await import('./cli-host.js')).integrations
