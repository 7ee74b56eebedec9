import { expect, test } from 'vitest'
import { concat, utf8 } from '../src/primitives/bytes.ts'
import { createExclusions, type Exclusions } from './exclusions.ts'
import type { RecordedEvent } from './recording.ts'

const METADATA = concat(Uint8Array.of(0x01), utf8('ufoo'))
const BALANCE = concat(Uint8Array.of(0x02, 1, 7), utf8('ufoo'))
const OLD_ACCOUNT = Uint8Array.of(0x01, 1)
const NEW_ACCOUNT = Uint8Array.of(0x01, 2)
const PARAMS = Uint8Array.of(0x00)
const NEXT_NUMBER = utf8('globalAccountNumber')
const VALIDATOR = Uint8Array.of(0x21, 1)
const HISTORY = Uint8Array.of(0x50, 0x31)
const SLOT = Uint8Array.of(0x02, 9)

/** Returns the module that excludes each of nine keys, or `-` for a compared key. All accounts but number 1 are new. */
function excludedAfter(add: (exclusions: Exclusions) => void) {
  const exclusions = createExclusions()
  add(exclusions)
  const excludedBy = exclusions.rule((_, key) => key[1] !== 1)
  return [
    ...[excludedBy('bank', METADATA), excludedBy('bank', BALANCE)],
    ...[
      excludedBy('acc', PARAMS),
      excludedBy('acc', OLD_ACCOUNT),
      excludedBy('acc', NEW_ACCOUNT),
      excludedBy('acc', NEXT_NUMBER),
    ],
    ...[excludedBy('staking', VALIDATOR), excludedBy('staking', HISTORY), excludedBy('evm', SLOT)],
  ].map((module) => module ?? '-')
}

test('a block with messages of built modules only has no exclusions', () => {
  expect(excludedAfter(() => {})).toEqual(['-', '-', '-', '-', '-', '-', '-', '-', '-'])
})

test('built messages that contain substituted ones exclude their own store', () => {
  const exclusions = createExclusions()
  for (const module of ['authz', 'devgas', 'gov']) exclusions.addMessage(module, [])
  const excludedBy = exclusions.rule(() => true)
  expect(['authz', 'devgas', 'gov', 'bank', 'acc'].map((store) => excludedBy(store, NEW_ACCOUNT))).toEqual([
    ...['authz', 'devgas', 'gov', undefined, undefined],
  ])
})

test('a Wasm message excludes new accounts, and staking if its events show a delegation', () => {
  expect(excludedAfter((exclusions) => exclusions.addMessage('wasm', []))).toEqual([
    ...['wasm', '-', '-', '-', 'wasm', 'wasm', '-', '-', '-'],
  ])
  const delegate: RecordedEvent = { type: 'delegate', attributes: [] }
  expect(excludedAfter((exclusions) => exclusions.addMessage('wasm', [delegate])).slice(6)).toEqual(['wasm', '-', '-'])
})

test('a Wasm message excludes the stores of modules whose events it emits', () => {
  const exclusions = createExclusions()
  exclusions.addMessage('wasm', [{ type: 'nibiru.tokenfactory.v1.EventMint', attributes: [] }])
  const excludedBy = exclusions.rule(() => false)
  expect([excludedBy('tokenfactory', PARAMS), excludedBy('oracle', PARAMS)]).toEqual(['wasm', undefined])
})

test('a Wasm message excludes its own store, except the key that every block writes', () => {
  const exclusions = createExclusions()
  const counter = Uint8Array.of(0x08)
  expect(exclusions.rule(() => false)('wasm', PARAMS)).toBeUndefined()
  exclusions.addMessage('wasm', [])
  const excludedBy = exclusions.rule(() => false)
  expect([excludedBy('wasm', PARAMS), excludedBy('wasm', counter), excludedBy('ibc', counter)]).toEqual([
    'wasm',
    undefined,
    'wasm',
  ])
})

test('an unbuilt precompile excludes the stores of the EVM, and EVM results from its transaction on', () => {
  const call = (exclusions: Exclusions) => {
    exclusions.setTx(2)
    exclusions.addPrecompile('wasm')
  }
  expect(excludedAfter(call)).toEqual(['wasm', 'wasm', 'wasm', 'wasm', 'wasm', 'wasm', '-', '-', 'wasm'])
  const exclusions = createExclusions()
  call(exclusions)
  expect([1, 2, 3].map(exclusions.isEvmExcluded)).toEqual([false, true, true])
})
