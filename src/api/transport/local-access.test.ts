import { expect, test } from 'vitest'
import { createLocalAccess, isLoopback } from './local-access.ts'

test('names and addresses of this machine are loopback, and lookalikes are not', () => {
  for (const host of ['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.8.9.1', '[::1]', '::1']) {
    expect([host, isLoopback(host)]).toEqual([host, true])
  }
  for (const host of [
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    '1127.0.0.1',
    '0.0.0.0',
    '192.168.0.2',
    '[::2]',
    '',
  ]) {
    expect([host, isLoopback(host)]).toEqual([host, false])
  }
})

test('programs and pages of this machine have access', () => {
  const access = createLocalAccess({ origins: ['*'], anyHost: false })
  expect(access({ host: 'localhost:8545' })).toBeUndefined()
  expect(access({ host: '127.0.0.1:8545', origin: 'http://localhost:3000' })).toBeUndefined()
  expect(access({ host: '[::1]:8545', origin: 'http://[::1]:5173' })).toBeUndefined()
  expect(access({})).toBeUndefined()
})

test('a page of another origin, an opaque origin and a rebound name have no access, whatever api.cors allows', () => {
  const access = createLocalAccess({ origins: ['*'], anyHost: false })
  expect(access({ host: 'localhost:8545', origin: 'https://evil.example' })).toMatch(
    /evil\.example is not of this machine/,
  )
  expect(access({ host: 'localhost:8545', origin: 'null' })).toMatch(/not of this machine/)
  expect(access({ host: 'evil.example:8545', origin: 'http://localhost' })).toMatch(
    /evil\.example:8545 is not this machine/,
  )
  expect(access({ host: '192.168.0.2:8545' })).toMatch(/not this machine/)
  for (const origin of [
    'http://localhost\\.evil.example',
    'http://localhost@evil.example',
    'http://localhost#.evil.example',
  ]) {
    expect([origin, access({ host: 'localhost', origin })]).toEqual([
      origin,
      expect.stringMatching(/not of this machine/),
    ])
  }
})

test('an origin that is allowed by name has access', () => {
  const access = createLocalAccess({ origins: ['*', 'http://192.168.0.2:5173'], anyHost: false })
  expect(access({ host: 'localhost', origin: 'http://192.168.0.2:5173' })).toBeUndefined()
  expect(access({ host: 'localhost', origin: 'http://192.168.0.3:5173' })).toMatch(/not of this machine/)
})

test('access for other machines does not open the node to pages of other origins', () => {
  const access = createLocalAccess({ origins: ['*'], anyHost: true })
  expect(access({ host: 'almanac:8545' })).toBeUndefined()
  expect(access({ host: 'almanac:8545', origin: 'https://evil.example' })).toMatch(/not of this machine/)
})
