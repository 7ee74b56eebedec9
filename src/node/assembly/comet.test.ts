import { expect, test } from 'vitest'
import { resolveConfig } from '../config.ts'
import { settingsUnderEngine } from './comet.ts'

const consensusOf = (flags: Record<string, string>) =>
  settingsUnderEngine(resolveConfig({ flags: { consensus: 'cometbft', ...flags } })).config.consensus

test('a port offset moves the ports of an engine that the node runs, so that two nodes start on one machine', () => {
  const { rpc, p2p } = consensusOf({ 'port-offset': '100' })
  expect({ rpc, p2p }).toEqual({ rpc: 'http://127.0.0.1:26767', p2p: 'tcp://127.0.0.1:26756' })
  expect(consensusOf({ 'port-offset': '7', 'engine-rpc': 'http://[::1]:5/' }).rpc).toBe('http://[::1]:12/')
})

test('a port offset does not move the ports of an engine that runs elsewhere', () => {
  expect(consensusOf({ 'port-offset': '100', engine: 'none' }).rpc).toBe('http://127.0.0.1:26667')
})

test('an engine port beyond the last one is refused with its setting', () => {
  expect(() => consensusOf({ 'port-offset': '40000' })).toThrow(
    'node.port_offset (--port-offset) 40000 moves consensus.rpc from 26667 to 66667, and ports end at 65535',
  )
})
