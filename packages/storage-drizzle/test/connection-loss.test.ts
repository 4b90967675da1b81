import { connectionLossTests } from './connection-loss.ts'

connectionLossTests(() => import('../src/index.ts'))
