import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { encodePrecommitSignBytes } from '../../consensus/comet/encoding.ts'
import { startNode } from '../../node/start.ts'
import { hex } from '../../primitives/bytes.ts'
import { parseRfc3339 } from '../../primitives/time.ts'

interface Event {
  readonly data: { readonly type: string; readonly value: unknown }
  readonly events: Readonly<Record<string, readonly string[]>>
}

/** The DER prefix of an Ed25519 public key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

test('the events of a round name its proposer and carry the signatures of the commit, before those of the block', async () => {
  await using node = await startNode({ blocks: { time: 'manual' }, chain: { validators: 3 } })
  const heard: Event[] = []
  const socket = new WebSocket(`${node.urls.comet!.replace('http', 'ws')}/websocket`)
  await once(socket, 'open')
  socket.on('message', (data: Buffer) => {
    const { result } = JSON.parse(data.toString()) as { readonly result: Partial<Event> }
    if (result.data) heard.push(result as Event)
  })
  const kinds = ['NewRound', 'NewRoundStep', 'CompleteProposal', 'Vote', 'NewBlock']
  for (const [id, kind] of kinds.entries()) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params: { query: `tm.event='${kind}'` } }))
  }
  const ask = async (path: string) => {
    const response = await fetch(`${node.urls.comet}/${path}`)
    return ((await response.json()) as { readonly result: Record<string, never> }).result
  }
  await ask('health')
  await node.nextBlock()
  await expect.poll(() => heard.at(-1)?.data.type).toBe('tendermint/event/NewBlock')
  expect(heard.map(({ data, events }) => [data.type.replace('tendermint/event/', ''), events['tm.event']![0]])).toEqual(
    [
      ['NewRound', 'NewRound'],
      ['RoundState', 'NewRoundStep'],
      ['CompleteProposal', 'CompleteProposal'],
      ['RoundState', 'NewRoundStep'],
      ['Vote', 'Vote'],
      ['Vote', 'Vote'],
      ['Vote', 'Vote'],
      ['RoundState', 'NewRoundStep'],
      ['NewBlock', 'NewBlock'],
    ],
  )
  const value = (index: number) => heard[index]!.data.value as Record<string, unknown>
  const block = (heard.at(-1)!.data.value as { block: { header: Record<string, string> } }).block.header
  const { validators } = (await ask(`validators?height=${block['height']}`)) as unknown as {
    validators: { address: string; pub_key: { value: string } }[]
  }
  const index = validators.findIndex(({ address }) => address === block['proposer_address'])
  const height = block['height']!
  expect(value(0)).toEqual({
    height,
    round: 0,
    step: 'RoundStepNewRound',
    proposer: { address: block['proposer_address'], index },
  })
  expect([1, 3, 7].map((at) => value(at)['step'])).toEqual([
    'RoundStepPropose',
    'RoundStepPrecommit',
    'RoundStepCommit',
  ])
  const { block_id: id } = (await ask(`block?height=${height}`)) as unknown as {
    block_id: { hash: string; parts: { total: number; hash: string } }
  }
  expect(value(2)).toEqual({ height, round: 0, step: 'RoundStepPropose', block_id: id })
  for (const at of [4, 5, 6]) {
    const { Vote: vote } = value(at) as { Vote: Record<string, never> }
    expect(vote).toMatchObject({ type: 2, height, round: 0, block_id: id, validator_index: at - 4 })
    const { address, pub_key: key } = validators[at - 4]!
    expect(vote['validator_address']).toBe(address)
    const message = encodePrecommitSignBytes({
      chainId: block['chain_id']!,
      height: BigInt(height),
      round: 0,
      blockId: { hash: hex(id.hash), partsTotal: id.parts.total, partsHash: hex(id.parts.hash) },
      timeNs: parseRfc3339(vote['timestamp'] as unknown as string)!,
    })
    const publicKey = createPublicKey({
      key: Buffer.concat([SPKI, Buffer.from(key.value, 'base64')]),
      format: 'der',
      type: 'spki',
    })
    expect(verify(null, message, publicKey, Buffer.from(vote['signature']!, 'base64'))).toBe(true)
  }
  socket.terminate()
})
