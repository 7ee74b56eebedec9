import { expect, test } from 'vitest'
import type { StoredBlock } from '../app/records.ts'
import { createIdentity } from '../identity/identity.ts'
import { nibiru } from '../identity/profiles/nibiru.ts'
import type { ChainEvent } from '../store/types.ts'
import { logFailedPayouts } from './unpaid-shares.ts'

test('the log has a line for each share that could not be paid, also under profile names', () => {
  const listeners: ((block: StoredBlock) => void)[] = []
  const driver = {
    onBlock(listener: (block: StoredBlock) => void) {
      listeners.push(listener)
      return () => void listeners.pop()
    },
  }
  const lines: unknown[] = []
  const end = logFailedPayouts({ identity: createIdentity(nibiru), driver }, (...line) => void lines.push(line))
  const event = (type: string, fields: Record<string, string>): ChainEvent => ({
    type,
    attributes: Object.entries(fields).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  })
  const failed = event('nibiru.devgas.v1.EventPayoutFailedDevGas', { contract: 'nibi1c', reason: 'no money' })
  const results = [{ events: [] }, { events: [event('nibiru.devgas.v1.EventPayoutDevGas', { contract: 'x' }), failed] }]
  listeners[0]!({ header: { height: 7n }, results } as unknown as StoredBlock)
  expect(lines).toEqual([
    [
      'error',
      'a share of fees could not be paid to its withdrawer',
      { height: 7n, contract: 'nibi1c', reason: 'no money' },
    ],
  ])
  end()
  expect(listeners).toEqual([])
})
