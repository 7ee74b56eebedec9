import { createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { clientsOf, startDev } from './support/dev.ts'

const NOBODY = '0x00000000000000000000000000000000000abcde'

test('almanac dev logs transactions and blocks, and with --verbose requests, as text or JSON', async () => {
  await using text = await startDev()
  const hash = await clientsOf(text).wallet.sendTransaction({ to: NOBODY, value: 1n })
  await expect.poll(text.stderr).toMatch(/ block height=2 hash=0x[0-9a-f]{64} txs=1 gas=21000\n/)
  expect(text.stderr()).toMatch(
    new RegExp(` info {2}transaction hash=${hash} from=0x\\w+ to=0x\\w+ gas=21000 block=2\n`),
  )
  expect(text.stderr()).not.toContain('request')
  await using json = await startDev('--log-format', 'json', '--verbose')
  await createPublicClient({ transport: http(json.config.urls.jsonrpc) }).getBlockNumber()
  const records = () =>
    json
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: string; method?: string })
  const { jsonrpc, rest } = json.config.urls
  await expect.poll(records).toContainEqual(expect.objectContaining({ message: 'started', jsonrpc, rest }))
  await expect.poll(records).toContainEqual(expect.objectContaining({ message: 'request', method: 'eth_blockNumber' }))
})
