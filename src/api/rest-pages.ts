/** Pages of the REST port beside the operations: an index, the description of the API, and pages of the node. */
import type { GatewayNode } from './gateway.ts'
import { createPayload, type Payload } from './http.ts'
import { describeApi } from './openapi.ts'
import type { Router } from './routes.ts'

interface Page {
  readonly status: number
  readonly payload: Payload
}

/** Returns the page of a path; undefined if there is no page. */
export type Pages = (path: string) => Page | undefined

/** Returns a further page of the node, as JSON text. */
export type ExtraPage = (path: string) => { readonly status: number; readonly body: string } | undefined

const NO_STORE = ['Cache-Control', 'no-store']
const NO_CACHE = ['Cache-Control', 'no-cache']

function page(status: number, type: string, text: string, headers: readonly string[]): Page {
  return { status, payload: createPayload(text, ['Content-Type', type, ...headers]) }
}

function json(value: unknown, headers: readonly string[]): Page {
  return page(200, 'application/json', JSON.stringify(value), headers)
}

function redirect(location: string): Page {
  return { status: 308, payload: createPayload('', ['Location', location]) }
}

export function createPages(node: GatewayNode, router: Router, extra: ExtraPage = () => undefined): Pages {
  let description: Page | undefined
  let browser: Page | undefined

  function index(): Page {
    return json(
      {
        chain_id: node.chainId,
        evm_chain_id: node.evmChainId.toString(),
        latest_height: node.blocks.latestHeight().toString(),
        version: node.settings.version,
        openapi: '/openapi.json',
        docs: '/docs',
      },
      NO_STORE,
    )
  }

  function extraPage(path: string): Page | undefined {
    const found = extra(path)
    return found && page(found.status, 'application/json', found.body, NO_STORE)
  }

  return (path) => {
    switch (path) {
      case '/':
        return index()
      case '/openapi.json':
        description ??= json(describeApi(node.identity, router.routes, node.settings.version), NO_CACHE)
        return description
      case '/swagger':
        return redirect('/swagger/')
      case '/docs':
      case '/swagger/':
        browser ??= page(200, 'text/html; charset=utf-8', browserPage(), NO_CACHE)
        return browser
      default:
        return extraPage(path)
    }
  }
}

/** Returns an HTML page that lists the operations and sends requests. It loads nothing from elsewhere. */
function browserPage(): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>API</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
@media (prefers-color-scheme:dark){body{color:#ddd;background:#161616}pre,input{background:#222;color:#ddd}}
details{border-bottom:1px solid #8884;padding:.3rem 0}summary{cursor:pointer;font-family:ui-monospace,monospace}
label{display:block;margin:.2rem 0}input{font:inherit;width:24rem;max-width:100%}
pre{overflow:auto;max-height:24rem;padding:.5rem;background:#f4f4f4}
</style>
<h1>API</h1><p>From <a href="/openapi.json">openapi.json</a>, which the running node writes from its descriptors.</p>
<main>…</main>
<script>
const el=(name,text)=>{const e=document.createElement(name);if(text!==undefined)e.textContent=text;return e}
fetch('/openapi.json').then(r=>r.json()).then(api=>{
  const main=document.querySelector('main');main.textContent=''
  for(const [path,item] of Object.entries(api.paths)){
    const op=item.get;if(!op)continue
    const box=el('details');box.append(el('summary','GET '+path),el('p',op.operationId))
    const form=el('form');const out=el('pre')
    for(const p of op.parameters||[]){if(!p.name)continue
      const label=el('label',p.name+(p.required?' *':'')+' ');const input=el('input')
      input.name=p.name;input.dataset.in=p.in;label.append(input);form.append(label)}
    form.append(el('button','Ask'));form.onsubmit=async e=>{e.preventDefault()
      let url=path;const query=new URLSearchParams();const headers={}
      for(const i of form.querySelectorAll('input')){
        if(i.dataset.in==='path')url=url.replace('{'+i.name+'}',encodeURIComponent(i.value))
        else if(i.value!==''){if(i.dataset.in==='header')headers[i.name]=i.value;else query.set(i.name,i.value)}}
      const q=query.toString();const r=await fetch(url+(q?'?'+q:''),{headers})
      const text=await r.text();try{out.textContent=r.status+' '+JSON.stringify(JSON.parse(text),null,2)}catch{out.textContent=r.status+' '+text}}
    box.append(form,out);main.append(box)
  }
})
</script>
`
}
