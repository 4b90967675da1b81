export { snippets } from 'virtual:snippets'
