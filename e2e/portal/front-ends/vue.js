// A host's front end in Vue, with the component of the guide in it.

import Integrations from 'virtual:integrations'
import { createApp, h, ref } from 'vue'
import { ORGANIZATION, TOKEN } from './session.ts'

createApp({
  setup() {
    const view = ref('api-keys')
    const isShown = ref(true)
    const toggle = () => {
      isShown.value = !isShown.value
    }
    const show = (next) => {
      view.value = next
    }
    return () => [
      h('button', { onClick: () => show('events') }, 'To the events'),
      h('button', { onClick: toggle }, 'Show or hide'),
      h('output', view.value),
      isShown.value &&
        h(Integrations, {
          ...{ organization: ORGANIZATION, view: view.value, getToken: async () => TOKEN },
          onNavigate: show,
        }),
    ]
  },
}).mount('#app')
