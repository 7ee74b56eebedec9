/** Definitions of services that no module owns: they answer from the node, not from the state of a module. */
import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { create, type DescMethod, type DescService, type Message } from '@bufbuild/protobuf'
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2'
import { methodPath } from '../../identity/registry.ts'
import type { NodeEnvironment } from '../node-info.ts'

/** Dependencies of services, read at each call: the dispatch of the node contains the services, so it exists later. */
export type Environment = () => NodeEnvironment

interface ServiceContext extends NodeEnvironment {
  /** Height of the request headers; undefined: the latest. */
  readonly height: bigint | undefined
  readonly signal: AbortSignal | undefined
}

/** Answers one method. Throws `ChainError`. */
type ServiceHandler = (
  request: Message,
  options: { readonly height?: bigint | undefined; readonly signal?: AbortSignal | undefined },
) => Message | Promise<Message>

/** Handlers by neutral method path, such as `/sdk.tx.v1beta1.Service/GetTx`. */
export type ServiceTable = Readonly<Record<string, ServiceHandler>>

type Handlers<Methods extends GenServiceMethods> = {
  readonly [Name in keyof Methods]: (
    context: ServiceContext,
    request: MessageShape<Methods[Name]['input']>,
  ) => MessageInitShape<Methods[Name]['output']> | Promise<MessageInitShape<Methods[Name]['output']>>
}

/** Defines a service: one handler per rpc, from the decoded request to an init shape of its response. */
export function defineService<Methods extends GenServiceMethods>(
  service: GenService<Methods>,
  handlers: Handlers<Methods>,
): (environment: Environment) => ServiceTable {
  const desc = service as unknown as DescService
  return (environment) =>
    Object.fromEntries(desc.methods.map((method) => [methodPath(method), bind(method, handlers, environment)]))
}

function bind<Methods extends GenServiceMethods>(
  method: DescMethod,
  handlers: Handlers<Methods>,
  environment: Environment,
): ServiceHandler {
  const handler = handlers[method.localName] as unknown as (context: ServiceContext, request: Message) => unknown
  const finish = (init: unknown) => create(method.output, init as never)
  return (request, { height, signal }) => {
    const init = handler({ ...environment(), height, signal }, request)
    return init instanceof Promise ? init.then(finish) : finish(init)
  }
}
