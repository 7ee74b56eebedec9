/** Answers that a cache in front of the built program must not give to other clients. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectCleanStop, startDefault } from '../support/attacks/survive.ts'
import { send } from '../support/attacks/target.ts'
import type { NodeProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const OWN = { from: '127.0.0.1' }
const HEIGHT_HEADERS = ['x-sdk-block-height', 'x-cosmos-block-height']

let node: NodeProcess
beforeAll(async () => {
  node = await startDefault()
  await rpc(node.config, 'evm_mine')
  await rpc(node.config, 'evm_mine')
})
afterAll(() => expectCleanStop(node))

const listed = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .toLowerCase()
    .split(/,\s*/)

test.each(['/chain/evm/v1/params', '/sdk/bank/v1beta1/supply', '/sdk/auth/v1beta1/accounts?pagination.limit=1000'])(
  'no shared cache stores an answer of %s that a header pins to a height',
  async (path) => {
    const url = `${node.config.urls.rest}${path}`
    const plain = await send(OWN, url)
    expect(plain.status).toBe(200)
    for (const name of HEIGHT_HEADERS) {
      const pinned = await send(OWN, url, { headers: { [name]: '1' } })
      expect(pinned.status).toBe(200)
      expect(String(pinned.headers['cache-control'])).toMatch(/private|no-store/)
      expect(String(pinned.headers['cache-control'])).not.toMatch(/public|s-maxage/)
      expect(listed(pinned.headers.vary)).toContain(name)
      expect(listed(plain.headers.vary)).toContain(name)
    }
    expect(listed(plain.headers.vary)).toContain('origin')
    expect(String(plain.headers['cache-control'])).toMatch(/no-cache|no-store/)
  },
)

test('an answer whose URL names the height can be shared forever, but not that of a development chain', async () => {
  const cacheControl = async ({ config }: NodeProcess, path: string) =>
    (await send(OWN, `${config.urls.rest}${path}`)).headers['cache-control']
  const path = '/chain/evm/v1/params?height=1'
  expect(await cacheControl(node, path)).toBe('no-cache')
  const lasting = await startDefault(['--no-dev', '--insecure-keys'])
  expect(await cacheControl(lasting, path)).toBe('public, max-age=31536000, immutable')
  await expectCleanStop(lasting)
})
