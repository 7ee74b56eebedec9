import { expect, test } from 'vitest'
import { concat, utf8 } from '../src/primitives/bytes.ts'
import type { RecordedEvent } from './recording.ts'
import { createTouched, type Touched } from './touched.ts'

const METADATA = concat(Uint8Array.of(0x01), utf8('ufoo'))
const BALANCE = concat(Uint8Array.of(0x02, 1, 7), utf8('ufoo'))
const OLD_ACCOUNT = Uint8Array.of(0x01, 1)
const NEW_ACCOUNT = Uint8Array.of(0x01, 2)
const PARAMS = Uint8Array.of(0x00)
const NEXT_NUMBER = utf8('globalAccountNumber')
const VALIDATOR = Uint8Array.of(0x21, 1)
const HISTORY = Uint8Array.of(0x50, 0x31)
const SLOT = Uint8Array.of(0x02, 9)

/** What is left out, after this has happened; account 1 is not new. */
function leftOut(happen: (touched: Touched) => void) {
  const touched = createTouched()
  happen(touched)
  const left = touched.leftOut((_, key) => key[1] !== 1)
  return [
    ...[left('bank', METADATA), left('bank', BALANCE)],
    ...[left('acc', PARAMS), left('acc', OLD_ACCOUNT), left('acc', NEW_ACCOUNT), left('acc', NEXT_NUMBER)],
    ...[left('staking', VALIDATOR), left('staking', HISTORY), left('evm', SLOT)],
  ].map((module) => module ?? '-')
}

test('nothing is left out of a block in which only built modules act', () => {
  expect(leftOut(() => {})).toEqual(['-', '-', '-', '-', '-', '-', '-', '-', '-'])
})

test('messages that carry what is not executed leave their own store', () => {
  const touched = createTouched()
  for (const module of ['authz', 'devgas', 'gov']) touched.by(module, [])
  const left = touched.leftOut(() => true)
  expect(['authz', 'devgas', 'gov', 'bank', 'acc'].map((store) => left(store, NEW_ACCOUNT))).toEqual([
    ...['authz', 'devgas', 'gov', undefined, undefined],
  ])
})

test('a contract of the other machine may make accounts, and staking if its events say so', () => {
  expect(leftOut((touched) => touched.by('wasm', []))).toEqual([
    ...['wasm', '-', '-', '-', 'wasm', 'wasm', '-', '-', '-'],
  ])
  const delegate: RecordedEvent = { type: 'delegate', attributes: [] }
  expect(leftOut((touched) => touched.by('wasm', [delegate])).slice(6)).toEqual(['wasm', '-', '-'])
})

test('what a contract of the other machine does in other modules is known by their events', () => {
  const touched = createTouched()
  touched.by('wasm', [{ type: 'nibiru.tokenfactory.v1.EventMint', attributes: [] }])
  const left = touched.leftOut(() => false)
  expect([left('tokenfactory', PARAMS), left('oracle', PARAMS)]).toEqual(['wasm', undefined])
})

test('its own store is left to it, but for what every block writes there', () => {
  const touched = createTouched()
  const counter = Uint8Array.of(0x08)
  expect(touched.leftOut(() => false)('wasm', PARAMS)).toBeUndefined()
  touched.by('wasm', [])
  const left = touched.leftOut(() => false)
  expect([left('wasm', PARAMS), left('wasm', counter), left('ibc', counter)]).toEqual(['wasm', undefined, 'wasm'])
})

test('a precompile that is not built leaves the EVM’s stores, and results from its transaction on', () => {
  const call = (touched: Touched) => {
    touched.nextTx(2)
    touched.precompile('wasm')
  }
  expect(leftOut(call)).toEqual(['wasm', 'wasm', 'wasm', 'wasm', 'wasm', 'wasm', '-', '-', 'wasm'])
  const touched = createTouched()
  call(touched)
  expect([1, 2, 3].map(touched.isEvmLost)).toEqual([false, true, true])
})

test('code that another compiler made is left out by its hash alone', () => {
  const touched = createTouched()
  touched.code(Uint8Array.of(7))
  const left = touched.leftOut(() => true)
  expect([left('evm', Uint8Array.of(1, 7)), left('evm', Uint8Array.of(1, 8))]).toEqual(['compiler', undefined])
})
