import { preloads, script, style } from '#assets'

/** The page, without any data: it uses the session routes with the reader's own session. */
export function pageHtml(
  settings: object,
  { title, themeFile }: { title: string; themeFile: string | null },
): string {
  const theme = themeFile === null ? '' : `\n    <link rel="stylesheet" href="./${themeFile}" />`
  const preload = preloads.map((name) => `\n    <link rel="modulepreload" href="./${name}" />`).join('')
  return `<!doctype html>
<html>
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <meta name="referrer" content="no-referrer" />
    <title>${escapeText(title)}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="./${style}" />${theme}${preload}
    <script id="settings" type="application/json">${escapeJson(settings)}</script>
    <script type="module" src="./${script}"></script>
  </head>
  <body>
    <div id="portal"></div>
    <noscript>These screens need JavaScript.</noscript>
  </body>
</html>
`
}

/** JSON inside a script element, escaped so that it cannot end the element. */
function escapeJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
