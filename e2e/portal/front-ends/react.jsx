// A host's front end in React, with the component of the guide in it.

import { Integrations } from 'virtual:integrations'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ORGANIZATION, TOKEN } from './session.ts'

function App() {
  const [view, setView] = useState('api-keys')
  const [isShown, setShown] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setView('events')}>
        To the events
      </button>
      <button type="button" onClick={() => setShown(!isShown)}>
        Show or hide
      </button>
      <output>{view}</output>
      {isShown && (
        <Integrations
          organization={ORGANIZATION}
          view={view}
          getToken={async () => TOKEN}
          onNavigate={setView}
        />
      )}
    </>
  )
}

createRoot(document.getElementById('app')).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
