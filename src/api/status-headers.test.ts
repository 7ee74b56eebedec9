import { expect, test } from 'vitest'
import type { ChainStatus, FollowStatus } from '../consensus/driver.ts'
import { statusHeaders, statusPairs } from './status-headers.ts'

const follow: FollowStatus = {
  nodeHeight: 12n,
  lagBlocks: 2n,
  lagSeconds: 3.5,
  verifiedHeight: 10n,
  confirmedHeight: 9n,
  queue: 1n,
}
const headersOf = (status: Partial<ChainStatus>) =>
  statusHeaders({ status: () => ({ catchingUp: false, latestHeight: 10n, latestTimeNs: 0n, ...status }) })

test('a chain that makes blocks needs no header', () => {
  expect(headersOf({})).toEqual([])
})

test('the lag is a number of seconds with parameters', () => {
  expect(headersOf({ follow })).toEqual(['X-Chain-Lag', '3.500;blocks=2;verified=10;queue=1'])
  expect(Number.parseFloat(headersOf({ follow })[1]!)).toBe(3.5)
})

test('a node that does not answer has no known height, and unverified state says so', () => {
  const silent = { ...follow, nodeHeight: undefined, lagBlocks: undefined, verifiedHeight: undefined }
  expect(headersOf({ follow: silent })).toEqual(['X-Chain-Lag', '3.500;unverified;queue=1'])
})

test('a replica that has stopped says why, in characters of a header', () => {
  const halted = { reason: 'block 11 “differs”', next: 'see the log', height: 11n }
  const driver = {
    status: () => ({
      catchingUp: false,
      latestHeight: 10n,
      latestTimeNs: 0n,
      halted,
      follow: { ...follow, stopped: 'x' },
    }),
  }
  expect(statusPairs(driver)).toEqual([
    ['X-Chain-Halted', 'block 11 %E2%80%9Cdiffers%E2%80%9D; see the log'],
    ['X-Chain-Lag', '3.500;blocks=2;verified=10;queue=1;stopped'],
  ])
})
