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

test('modules that move coins and write their own store leave nothing out', () => {
  expect(leftOut((touched) => touched.by('distribution', []))).toEqual(['-', '-', '-', '-', '-', '-', '-', '-', '-'])
})

test('the token factory may write metadata of coins, and nothing else', () => {
  expect(leftOut((touched) => touched.by('tokenfactory', []))).toEqual([
    ...['tokenfactory', '-', '-', '-', '-', '-', '-', '-', '-'],
  ])
})

test('a contract of the other machine may make accounts, and staking if its events say so', () => {
  expect(leftOut((touched) => touched.by('wasm', []))).toEqual([
    ...['wasm', '-', '-', '-', 'wasm', 'wasm', '-', '-', '-'],
  ])
  const delegate: RecordedEvent = { type: 'delegate', attributes: [] }
  expect(leftOut((touched) => touched.by('wasm', [delegate])).slice(6)).toEqual(['wasm', '-', '-'])
})

test('a slash that reaches what unbonds leaves staking to the recording, but for the headers', () => {
  expect(leftOut((touched) => touched.slashes('slashing'))).toEqual([
    ...['-', '-', '-', '-', '-', '-', 'slashing', '-', '-'],
  ])
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
