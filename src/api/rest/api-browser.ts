/** An HTML page for the operations of the REST API. */

/** Returns an HTML page that lists the operations and sends requests. It loads nothing from elsewhere. */
export function browserPage(): string {
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
