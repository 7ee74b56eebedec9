/** The OpenRPC document of the engine RPC. */
import { describeEngineMethod, documentOf, type Json, readResults } from './document.ts'
import { ENGINE_METHODS, ENGINE_PARAMETERS } from './engine-methods.ts'

type Kinds = Readonly<Record<string, string>>

/** Methods of WebSocket connections, with the kinds of their parameters. */
const OVER_WEBSOCKET: Readonly<Record<string, Kinds>> = {
  subscribe: { query: 'text' },
  unsubscribe: { query: 'text' },
  unsubscribe_all: {},
}

/** Returns the document of methods by name, with the kinds of their parameters. */
export function engineDocument(methods: Readonly<Record<string, Kinds>>, version: string): Json {
  const results = readResults(ENGINE_METHODS)
  const described = Object.entries({ ...methods, ...OVER_WEBSOCKET }).flatMap(([name, kinds]): Json[] => {
    const found = results.get(name)
    return found ? [describeEngineMethod(name, kinds, found, ENGINE_PARAMETERS)] : []
  })
  return documentOf('Engine RPC of this node', version, described)
}
