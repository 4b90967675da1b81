export default {
  quickquote: {
    input: './openapi.json',
    output: { target: './generated/orval.ts', client: 'fetch', baseUrl: 'http://service.invalid' },
  },
}
