import { request as httpRequest } from 'node:http'
import { create, toBinary } from '@bufbuild/protobuf'
import { DirectSecp256k1Wallet } from '@cosmjs/proto-signing'
import { SigningStargateClient } from '@cosmjs/stargate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TxRawSchema } from '../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { startNode } from '../src/index.ts'

/** Requests of a table of known requests, sent byte for byte to a running node. The row numbers are those of the table. */

type Node = Awaited<ReturnType<typeof startNode>>
let node: Node
let address: string
let bech32: string

beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } })
  address = node.accounts[0]!.address
  bech32 = node.accounts[0]!.bech32
  await node.nextBlock()
})

afterAll(() => node.stop())

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers as JSON
  readonly json: any
}

function ask(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string | string[]> } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(node.urls.rest!)
  return new Promise((resolve, reject) => {
    const req = httpRequest({ hostname, port, path, method, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk) => chunks.push(chunk))
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isPacked = res.headers['content-encoding'] !== undefined
        const isJson = res.headers['content-type'] === 'application/json' && text !== '' && !isPacked
        resolve({ status: res.statusCode!, headers: res.headers, text, json: isJson ? JSON.parse(text) : undefined })
      })
    })
    req.on('error', reject)
    req.end()
  })
}

/** Expects an error with four keys in this order, and `error` equal to `message` (D1). */
function expectError({ status, json }: Answer, http: number, code: number): void {
  expect(Object.keys(json)).toEqual(['error', 'code', 'message', 'details'])
  expect([status, json.code, json.error]).toEqual([http, code, json.message])
}

const JSON_TYPE = { 'content-type': 'application/json' }
const P = '/chain/evm/v1'
const EMPTY_ACCOUNT = `0x${'12'.repeat(20)}`

describe('rows 1 to 10: paths and methods', () => {
  test.each(['base_fee', 'base_fee?x=%zz'])('GET %s', async (path) => {
    expect((await ask(`${P}/${path}`)).json).toEqual({ base_fee: '1000000000000', base_fee_unative: '1' })
  })

  test.each([`${P}/base_fee/`, '/chain//evm/v1/base_fee', '/Chain/evm/v1/base_fee'])('GET %s is 404', async (path) => {
    expectError(await ask(path), 404, 5)
  })

  test('HEAD and OPTIONS are answered, and other methods are errors', async () => {
    const head = await ask(`${P}/base_fee`, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const options = await ask(`${P}/base_fee`, { method: 'OPTIONS' })
    expect([options.status, options.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const post = await ask(`${P}/base_fee`, { method: 'POST' })
    expectError(post, 405, 12)
    expect(post.headers['allow']).toBe('GET, HEAD, OPTIONS')
    expectError(await ask('/nope', { method: 'DELETE' }), 404, 5)
    expect((await ask('/')).json.chain_id).toBe('almanac-localnet-1')
  })
})

describe('rows 11 to 23: balances', () => {
  test('balances of a missing account are zero, in any spelling of its address', async () => {
    for (const text of [EMPTY_ACCOUNT, EMPTY_ACCOUNT.slice(2)]) {
      const { text: body } = await ask(`${P}/balances/${text}`)
      expect(body).toBe('{"balance_wei":"0","bank":null,"erc20":null}')
    }
  })

  test('balances of a funded account are found by its hexadecimal and its Bech32 address', async () => {
    const balance = '1000000000000000000000000'
    expect((await ask(`${P}/balances/${address}`)).json.balance_wei).toBe(balance)
    expect((await ask(`${P}/balances/${bech32}`)).json.balance_wei).toBe(balance)
  })

  test.each(['0x123', '', 'xyz'])('the address %j is 400', async (text) => {
    expectError(await ask(`${P}/balances/${text}`), 400, 3)
  })

  test('a path without an address, or with a further segment, has no route', async () => {
    expectError(await ask(`${P}/balances`), 404, 5)
    expectError(await ask(`${P}/balances/0xA/extra`), 404, 5)
  })

  test('the address of the path applies, and the token can have any encoding', async () => {
    const other = await ask(`${P}/balances/${EMPTY_ACCOUNT}?address=${address}`)
    expect(other.json.balance_wei).toBe('0')
    const raw = await ask(`${P}/balances/${address}?token=unative`)
    expect(raw.json.bank).toMatchObject({ coin_denom: 'unative', balance_base: '1000000000000' })
    const twice = await ask(`${P}/balances/${address}?token=unative&token=nope`)
    expect(twice.json).toEqual(raw.json)
    for (const token of ['ibc/ABC', 'ibc%2FABC']) {
      expect((await ask(`${P}/balances/${address}?token=${token}`)).json.bank).toBeNull()
    }
    expect((await ask(`${P}/balances/${address}?tokn=a`)).json.bank).toBeNull()
  })

  test('a path with a bad escape is a JSON error', async () => {
    expectError(await ask(`${P}/balances/%zz`), 400, 3)
  })
})

describe('rows 24 to 27: code and storage', () => {
  test('an account without code or storage has empty code and zero slots', async () => {
    expect((await ask(`${P}/codes/${EMPTY_ACCOUNT}`)).text).toBe('{"code":null}')
    expectError(await ask(`${P}/codes/xyz`), 400, 3)
    expect((await ask(`${P}/storage/${EMPTY_ACCOUNT}/0x0`)).text).toBe(`{"value":"0x${'0'.repeat(64)}"}`)
    expectError(await ask(`${P}/storage/${EMPTY_ACCOUNT}`), 404, 5)
    expectError(await ask(`${P}/storage/${EMPTY_ACCOUNT}/zz`), 400, 3)
  })
})

describe('rows 29 to 31: a token with a slash', () => {
  test.each(['ibc/ABC', 'ibc%2FABC', 'ibc%252FABC'])('GET funtoken/%s is looked up', async (token) => {
    const answer = await ask(`${P}/funtoken/${token}`)
    expectError(answer, 404, 5)
    expect(answer.json.message).toContain('ibc/ABC')
  })
})

describe('rows 36 to 52b: calls and estimates', () => {
  test('arguments are required, in base64 of any kind or as JSON', async () => {
    expectError(await ask(`${P}/eth_call`), 400, 3)
    for (const args of ['e30%3D', 'e30=', 'e30', '%7B%7D']) {
      expect((await ask(`${P}/eth_call?args=${args}`)).status).toBe(200)
    }
    expectError(await ask(`${P}/eth_call?args=-_8%3D`), 400, 3)
  })

  test.each(['18446744073709551616', '-1', '', '1e3', '5.0', '%205', '1_000'])(
    'a gas cap of %j is 400',
    async (cap) => {
      const answer = await ask(`${P}/eth_call?args=e30&gas_cap=${cap}`)
      expectError(answer, 400, 3)
      expect(answer.json.details[0]).toMatchObject({ '@type': '/chain.errors.v1.FieldViolation', field: 'gas_cap' })
    },
  )

  test('an absent or huge gas cap is the configured one', async () => {
    expect((await ask(`${P}/eth_call?args=e30&gas_cap=18446744073709551615`)).status).toBe(200)
    expect((await ask(`${P}/estimate_gas?args=e30%3D`)).status).toBe(200)
    const transfer = encodeURIComponent(JSON.stringify({ to: EMPTY_ACCOUNT }))
    expect((await ask(`${P}/eth_call?args=${transfer}&gasCap=30000&GasCap=zz`)).json.gas_used).toBe('21000')
    expectError(await ask(`${P}/eth_call?args=${transfer}&gasCap=20000`), 400, 3)
    expectError(await ask(`${P}/eth_call?args=e30&chain_id=9223372036854775808`), 400, 3)
  })

  // Code that reverts with Error("nope"): the ABI form of the reason, copied from calldata by a creation.
  const reason =
    '08c379a00000000000000000000000000000000000000000000000000000000000000020' +
    '00000000000000000000000000000000000000000000000000000000000000046e6f7065' +
    '00000000000000000000000000000000000000000000000000000000'
  const data = `0x6064600c60003960646000fd${reason}`
  const args = Buffer.from(JSON.stringify({ data })).toString('base64url')

  test('a revert is an error of an estimate, and a result of a call', async () => {
    const estimate = await ask(`${P}/estimate_gas?args=${args}`)
    expectError(estimate, 400, 3)
    expect(estimate.json.message).toContain('nope')
    expect(estimate.json.details[0]).toEqual({
      '@type': '/chain.errors.v1.Revert',
      reason: 'nope',
      data: Buffer.from(reason, 'hex').toString('base64'),
    })
    const call = await ask(`${P}/eth_call?args=${args}`)
    expect(call.status).toBe(200)
    expect(call.json.vm_error).toContain('reverted')
    expect(call.json.ret).toBe(Buffer.from(reason, 'hex').toString('base64'))
  })

  test('calldata of a large contract fits into a query string', async () => {
    const creation = Buffer.from(JSON.stringify({ data: `0x00${'5b'.repeat(24_000)}` })).toString('base64url')
    expect((await ask(`${P}/eth_call?args=${creation}`)).status).toBe(200)
  })

  test('a form sent by POST is not served as a GET', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expectError(await ask(`${P}/eth_call`, { method: 'POST', headers }), 405, 12)
  })
})

describe('rows 54 to 69: parameters of traces', () => {
  test.each([
    'msg=1',
    'trace_config.limit=2147483648',
    'trace_config.debug=yes',
    'trace_config.tracer.x=1',
    'predecessors.hash=1',
    'block_time=1704067200',
    'block_time=2024-01-01',
    'block_time=null',
    'block_time=',
    'block_number=latest',
    'a=1;b=2',
  ])('trace_tx?%s is 400', async (query) => {
    expectError(await ask(`${P}/trace_tx?${query}`), 400, 3)
  })
})

describe('rows 87 to 97: headers', () => {
  test.each([
    [{ 'x-sdk-block-height': '1' }, ''],
    [{ 'x-cosmos-block-height': '1' }, ''],
    [{ 'grpc-metadata-x-sdk-block-height': '1' }, ''],
    [{}, '?height=1'],
  ])('%j %s selects height 1', async (headers: Record<string, string>, query) => {
    const answer = await ask(`${P}/base_fee${query}`, { headers })
    expect([answer.status, answer.headers['grpc-metadata-x-sdk-block-height']]).toEqual([200, '1'])
    expect(answer.headers['cache-control']).toContain('no-cache')
  })

  test('the latest height is in a header, on errors too', async () => {
    const latest = String(node.height)
    const zero = await ask(`${P}/base_fee`, { headers: { 'x-sdk-block-height': '0' } })
    expect(zero.headers['x-sdk-block-height']).toBe(latest)
    expect((await ask(`${P}/balances/xyz`)).headers['x-sdk-block-height']).toBe(latest)
  })

  test.each(['-1', 'abc', ''])('a height of %j is 400', async (height) => {
    expectError(await ask(`${P}/base_fee`, { headers: { 'x-sdk-block-height': height } }), 400, 3)
  })

  test('the error for a future height has the bounds', async () => {
    const answer = await ask(`${P}/base_fee?height=1000`)
    expectError(answer, 400, 11)
    expect(answer.json.details[0]).toEqual({
      '@type': '/chain.errors.v1.HeightBounds',
      requested: '1000',
      earliest: '1',
      latest: String(node.height),
    })
  })

  test('two heights and a short deadline are errors, and any Accept gets JSON', async () => {
    expectError(await ask(`${P}/base_fee`, { headers: { 'x-sdk-block-height': ['1', '2'] } }), 400, 3)
    expectError(await ask(`${P}/base_fee`, { headers: { 'grpc-timeout': '1n' } }), 504, 4)
    expectError(await ask(`${P}/base_fee`, { headers: { 'grpc-timeout': 'zz' } }), 400, 3)
    const html = await ask(`${P}/base_fee`, { headers: { accept: 'text/html' } })
    expect(html.headers['content-type']).toBe('application/json')
    const packed = await ask('/sdk/auth/v1beta1/accounts', { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
  })
})

describe('transactions over REST', () => {
  test('a transaction signed by a public client is simulated, broadcast, and found by its hash', async () => {
    const wallet = await DirectSecp256k1Wallet.fromKey(
      Uint8Array.from(Buffer.from(node.accounts[10]!.privateKey.slice(2), 'hex')),
      'chain',
    )
    const sender = (await wallet.getAccounts())[0]!.address
    const { account } = (await ask(`/cosmos/auth/v1beta1/accounts/${sender}`)).json
    const client = await SigningStargateClient.offline(wallet)
    const signer = {
      accountNumber: BigInt(account.account_number),
      sequence: Number(account.sequence),
      chainId: 'almanac-localnet-1',
    }
    const send = {
      typeUrl: '/cosmos.bank.v1beta1.MsgSend',
      value: { fromAddress: sender, toAddress: bech32, amount: [{ denom: 'unative', amount: '7' }] },
    }
    const fee = { amount: [{ denom: 'unative', amount: '200000' }], gas: '200000' }
    const signed = await client.sign(sender, [send], fee, '', signer)
    const tx_bytes = Buffer.from(toBinary(TxRawSchema, create(TxRawSchema, { ...signed }))).toString('base64')
    const post = async (path: string, body: unknown) => {
      const answer = await fetch(`${node.urls.rest}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: JSON_TYPE,
      })
      return { status: answer.status, json: (await answer.json()) as Answer['json'] }
    }
    const simulated = await post('/cosmos/tx/v1beta1/simulate', { tx_bytes })
    expect(simulated.status).toBe(200)
    expect(Number(simulated.json.gas_info.gas_used)).toBeGreaterThan(20_000)
    const sent = await post('/cosmos/tx/v1beta1/txs', { tx_bytes, mode: 'BROADCAST_MODE_SYNC' })
    expect([sent.status, sent.json.tx_response.code]).toEqual([200, 0])
    await node.nextBlock()
    const found = await ask(`/cosmos/tx/v1beta1/txs/${sent.json.tx_response.txhash}`)
    expect([found.status, found.json.tx_response.code]).toEqual([200, 0])
    expect(found.json.tx.body.messages[0]).toMatchObject({
      '@type': '/cosmos.bank.v1beta1.MsgSend',
      to_address: bech32,
    })
    const again = await post('/cosmos/tx/v1beta1/txs', { tx_bytes, mode: 'BROADCAST_MODE_SYNC' })
    expect(again.status).toBe(200)
    expect(again.json.tx_response.code).not.toBe(0)
    expect(
      (await post('/cosmos/tx/v1beta1/txs', { tx_bytes: 'AAAA', mode: 'BROADCAST_MODE_SYNC' })).json.tx_response.code,
    ).toBe(2)
  })
})

describe('inflation', () => {
  test('six operations need no input', async () => {
    const zero = `0.${'0'.repeat(18)}`
    const text = async (operation: string) => (await ask(`/chain/inflation/v1/${operation}`)).text
    expect(await text('period')).toBe('{"period":"0"}')
    expect(await text('skipped_epochs')).toBe('{"skipped_epochs":"0"}')
    expect(await text('epoch_mint_provision')).toBe(`{"epoch_mint_provision":{"denom":"unative","amount":"${zero}"}}`)
    expect(await text('inflation_rate')).toBe(`{"inflation_rate":"${zero}"}`)
    const { json } = await ask('/sdk/bank/v1beta1/supply/by_denom?denom=unative')
    const { amount } = (json as unknown as { amount: { amount: string } }).amount
    expect(await text('circulating_supply')).toBe(
      `{"circulating_supply":{"denom":"unative","amount":"${amount}.${'0'.repeat(18)}"}}`,
    )
    // Default parameters (docs/modules/inflation.md#parameters).
    expect(await text('params')).toBe(
      '{"params":{"inflation_enabled":false,"polynomial_factors":["-0.000147085524000000","0.074291982762000000",' +
        '"-18.867415611180000000","3128.641926954698000000","-334834.740631598223000000","17827464.906540066004000000"],' +
        '"inflation_distribution":{"staking_rewards":"0.281250000000000000","community_pool":"0.354825000000000000",' +
        '"strategic_reserves":"0.363925000000000000"},"epochs_per_period":"30","periods_per_year":"12","max_period":"96",' +
        '"has_inflation_started":false}}',
    )
  })
})

describe('epochs', () => {
  test('all records are in the order of their identifiers, and one is found by its exact name', async () => {
    const { json } = await ask('/chain/epochs/v1beta1/epochs')
    const names = (json as unknown as { epochs: { identifier: string; duration: string }[] }).epochs
    expect(names.map(({ identifier, duration }) => `${identifier}: ${duration}`)).toEqual([
      ...['30 min: 1800s', 'day: 86400s', 'month: 2592000s', 'week: 604800s'],
    ])
    for (const identifier of ['day', '30%20min', '30+min']) {
      const answer = await ask(`/chain/epochs/v1beta1/current_epoch?identifier=${identifier}`)
      expect([answer.status, answer.text]).toEqual([200, '{"current_epoch":"1"}'])
    }
    expectError(await ask('/chain/epochs/v1beta1/current_epoch?identifier=Day'), 404, 5)
    expectError(await ask('/chain/epochs/v1beta1/current_epoch'), 400, 3)
  })
})

describe('names and modules', () => {
  test('paths that public clients hard-code are the same routes', async () => {
    const real = await ask('/cosmos/bank/v1beta1/supply/by_denom?denom=unative')
    const neutral = await ask('/sdk/bank/v1beta1/supply/by_denom?denom=unative')
    expect([real.status, real.text]).toEqual([200, neutral.text])
  })

  test('upgrades report no plan, an unknown name as never applied, and the versions of modules', async () => {
    expect((await ask('/sdk/upgrade/v1beta1/current_plan')).json).toEqual({ plan: null })
    expect((await ask('/sdk/upgrade/v1beta1/applied_plan/nosuch')).json).toEqual({ height: '0' })
    const { module_versions: versions } = (await ask('/sdk/upgrade/v1beta1/module_versions')).json
    expect(versions).toContainEqual({ name: 'bank', version: '4' })
    expect(versions).toContainEqual({ name: 'upgrade', version: '1' })
  })

  test('the description of the API has every documented path, and every described GET is mounted', async () => {
    const { paths } = (await ask('/openapi.json')).json
    const documented = Object.keys(paths).filter(
      (path) =>
        /^\/chain\/(evm|oracle|inflation|devgas|tokenfactory|epochs)\//.test(path) ||
        /^\/sdk\/upgrade\/v1beta1\/(applied_plan|current_plan|module_versions)/.test(path),
    )
    // 41 documented paths (the three fee shares are one), and the right spelling beside the misspelt one.
    expect(documented.length, 'paths of the API document; a new operation raises this number').toBe(42)
    const operations = documented.flatMap((path) => paths[path].get['x-operations'] ?? [paths[path].get.operationId])
    expect(new Set(operations.filter((id) => !id.endsWith('.2'))).size, 'operations of the API document').toBe(43)
    expect(operations.length).toBe(new Set(operations).size)
    for (const path of Object.keys(paths)) {
      const { status, json } = await ask(path.replace(/\{[^}]*\}/g, '1'), { method: 'OPTIONS' })
      expect([path, status, json]).toEqual([path, 204, undefined])
    }
  })
})
