/** Clients that ask for so much that others wait, against the built program: a process of their own serves them. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  ATTACKER_ADDRESS,
  call,
  callAt,
  loopback,
  openGrpc,
  openWebSocket,
  send,
  type Target,
} from '../support/attacks/target.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'

const HONEST = { from: loopback(1) }
/** An address has to be noisy for others: on systems with one address of loopback, nobody is. */
const hasAddresses = process.platform === 'linux'
/** Limit that only ends a test in which nothing happens. */
const LONGEST_MS = 60_000
const BATCH = Array.from({ length: 900 }, (_, id) => call('eth_getBlockByNumber', ['latest', true], id))

/** Makes an address noisy. Resolves with the id of the process that serves it since. */
async function makeNoisy(node: NodeProcess, { from }: Pick<Target, 'from'>): Promise<number> {
  const before = [...node.memoryByProcess().keys()]
  const url = node.config.urls.jsonrpc
  let isReady = false
  const lanes = [1, 2, 3].map(async () => {
    while (!isReady) await callAt({ from }, url, BATCH).catch(() => undefined)
  })
  const end = performance.now() + LONGEST_MS
  while (!isReady && performance.now() < end) {
    await send(HONEST, `${node.config.urls.rest}/healthz`)
    // Its connections end with an answer as soon as the other process takes them.
    isReady = (await send({ from }, url, { body: JSON.stringify(BATCH) })).headers.connection === 'close'
  }
  await Promise.all(lanes)
  const added = [...node.memoryByProcess().keys()].filter((pid) => !before.includes(pid))
  expect(added).toHaveLength(1)
  return added[0]!
}

const isAnswered = (answer: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    answer.then(
      () => true,
      () => false,
    ),
    wait(2000, false),
  ])

test.runIf(hasAddresses)('an address that others wait for gets a process of its own, over every protocol', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', '200ms'])
  const { urls } = node.config
  const noisy = { from: ATTACKER_ADDRESS, config: node.config }
  const early = await openWebSocket(noisy, urls.ws)
  const isTold = new Promise<number>((resolve) => early.once('close', resolve))
  const pid = await makeNoisy(node, noisy)
  // What was connected before is asked to connect again.
  expect(await isTold).toBe(1013)

  const rest = await send(noisy, `${urls.rest}/chain/evm/v1/params`)
  expect(rest.text).toBe((await send(HONEST, `${urls.rest}/chain/evm/v1/params`)).text)
  expect(await callAt(noisy, urls.jsonrpc, call('eth_chainId', []))).toMatchObject({ result: '0x1b12' })
  expect(await callAt(noisy, urls.comet, call('health', []))).toMatchObject({ result: {} })
  const socket = await openWebSocket(noisy, urls.ws)
  const heads = new Promise((resolve) => {
    socket.on('message', (text: Buffer) => text.includes('eth_subscription') && resolve(true))
  })
  socket.send(JSON.stringify(call('eth_subscribe', ['newHeads'])))
  expect(await heads).toBe(true)
  const grpc = openGrpc(noisy)
  const stream = grpc.request({
    ':method': 'POST',
    ':path': '/chain.evm.v1.Query/Params',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  stream.end(Buffer.alloc(5))
  const bytes = await new Promise<Buffer>((resolve) => stream.once('data', resolve))
  expect(bytes.length).toBeGreaterThan(5)
  grpc.destroy()

  // The other process has these connections, and none of others.
  process.kill(pid, 'SIGSTOP')
  expect(await isAnswered(callAt(noisy, urls.jsonrpc, call('eth_chainId', [])))).toBe(false)
  expect(await isAnswered(callAt(HONEST, urls.jsonrpc, call('eth_chainId', [])))).toBe(true)
  process.kill(pid, 'SIGCONT')
  // Without it, the address is served as any other, until it is there again.
  process.kill(pid, 'SIGKILL')
  await expect
    .poll(() => isAnswered(callAt(noisy, urls.jsonrpc, call('eth_chainId', []))), { timeout: LONGEST_MS })
    .toBe(true)
  socket.terminate()
  node.child.kill('SIGTERM')
  expect(await node.ended).toBe(0)
})

test.runIf(hasAddresses)(
  'the process of noisy clients ends with the node, and closes its connections as the others do',
  async () => {
    await using node = await startProcess(['--ephemeral'])
    const noisy = { from: ATTACKER_ADDRESS, config: node.config }
    const pid = await makeNoisy(node, noisy)
    const socket = await openWebSocket(noisy, node.config.urls.ws)
    const isTold = new Promise<number>((resolve) => socket.once('close', resolve))
    node.child.kill('SIGTERM')
    expect(await node.ended).toBe(0)
    expect(await isTold).toBe(1005)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  },
)

test.runIf(hasAddresses)(
  'a client that a trusted proxy names starts no process, since the proxy has its connections',
  async () => {
    await using node = await startProcess(['--ephemeral', '--trusted-proxies', ATTACKER_ADDRESS])
    const { urls } = node.config
    const processes = node.memoryByProcess().size
    const headers = { 'x-forwarded-for': '192.0.2.7' }
    const logs = JSON.stringify(call('eth_feeHistory', ['0x400', 'latest', [10, 50, 90]]))
    const end = performance.now() + 5000
    while (performance.now() < end) {
      const body = JSON.stringify(BATCH)
      const asked = [body, logs, body].map((one) =>
        send({ from: ATTACKER_ADDRESS }, urls.jsonrpc, { headers, body: one }),
      )
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
      await send(HONEST, `${urls.rest}/healthz`)
    }
    expect(node.memoryByProcess().size).toBe(processes)
  },
)

test.runIf(hasAddresses)('an address that is alone, or that a trusted proxy has, stays', async () => {
  await using node = await startProcess(['--ephemeral', '--trusted-proxies', ATTACKER_ADDRESS])
  const { urls } = node.config
  const processes = node.memoryByProcess().size
  const end = performance.now() + 5000
  while (performance.now() < end) {
    await Promise.all([1, 2, 3].map(() => callAt({ from: ATTACKER_ADDRESS }, urls.jsonrpc, BATCH)))
    await send(HONEST, `${urls.rest}/healthz`)
  }
  expect(node.memoryByProcess().size).toBe(processes)
})
