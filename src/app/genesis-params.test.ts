import { expect, test } from 'vitest'
import { formatConsensusParams, parseConsensusParams } from './genesis-params.ts'

test('engine parameters of a document are read, and written unchanged', () => {
  const json = {
    block: { max_bytes: '1000000', max_gas: '-1' },
    evidence: { max_age_num_blocks: '5', max_age_duration: '172800000000000', max_bytes: '7' },
    validator: { pub_key_types: ['ed25519'] },
    version: { app: '18446744073709551615' },
  }
  expect(formatConsensusParams(parseConsensusParams(json))).toEqual(json)
  expect(formatConsensusParams(parseConsensusParams({}))).toMatchObject({ block: { max_bytes: '22020096' } })
})

test('an engine parameter out of range is refused by name', () => {
  const read = (json: object) => () => parseConsensusParams(json as never)
  expect(read({ block: 'none' })).toThrow('consensus_params: block must be an object')
  expect(read({ evidence: [] })).toThrow('consensus_params: evidence must be an object')
  for (const wrong of [2n ** 63n, -(2n ** 63n) - 1n, '', '1.5', 'all', true]) {
    expect(read({ block: { max_gas: String(wrong) } })).toThrow('max_gas is not an integer of 64 bits')
  }
  expect(read({ version: { app: '-1' } })).toThrow('app is not an integer of 64 bits')
  for (const wrong of ['9223372036854775808', 'soon', '300000h0m0s0x']) {
    expect(read({ evidence: { max_age_duration: wrong } })).toThrow('max_age_duration is not a duration')
  }
})
