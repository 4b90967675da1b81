import { render } from 'preact'
import { App } from './app.tsx'
import { addCatalog, languageOf, localeOf } from './i18n/translate.ts'
import { hashNavigation } from './navigation.ts'
import type { PortalSettings } from './settings.ts'
import './style.css'

/** The portal as a page. The server's settings are in an inert block. */
const block = document.getElementById('settings')
const root = document.getElementById('portal')
if (block === null || root === null) throw new Error('This is not the page of the portal.')
const settings: PortalSettings = JSON.parse(block.textContent)
const wanted = settings.locale === undefined ? navigator.languages : [settings.locale]
// Most readers need one language.
if (languageOf(localeOf(wanted, settings.messages)) === 'de')
  addCatalog('de', (await import('./i18n/de.ts')).de)
render(<App settings={settings} navigation={hashNavigation()} transport={{}} isPage />, root)
