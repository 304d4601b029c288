var A=Object.create;var i=Object.defineProperty;var C=Object.getOwnPropertyDescriptor;var N=Object.getOwnPropertyNames;var j=Object.getPrototypeOf,D=Object.prototype.hasOwnProperty;var s=(e,t)=>i(e,"name",{value:t,configurable:!0});var n=(e,t)=>()=>{try{return t||e((t={exports:{}}).exports,t),t.exports}catch(r){throw t=0,r}},k=(e,t)=>{for(var r in t)i(e,r,{get:t[r],enumerable:!0})},h=(e,t,r,o)=>{if(t&&typeof t=="object"||typeof t=="function")for(let a of N(t))!D.call(e,a)&&a!==r&&i(e,a,{get:()=>t[a],enumerable:!(o=C(t,a))||o.enumerable});return e};var c=(e,t,r)=>(r=e!=null?A(j(e)):{},h(t||!e||!e.__esModule?i(r,"default",{value:e,enumerable:!0}):r,e)),I=e=>h(i({},"__esModule",{value:!0}),e);var g=n((U,f)=>{f.exports=require("./main.cjs").parts["src/core/model/metric.ts"]()});var v=n((Y,w)=>{w.exports=require("./main.cjs").parts["src/core/report/words/names.ts"]()});var b=n((z,y)=>{y.exports=require("./main.cjs").parts["src/core/report/words/states.ts"]()});var x=n((K,S)=>{S.exports=require("./main.cjs").parts["src/core/text/format.ts"]()});var B={};k(B,{makeRepository:()=>M,tellDemo:()=>$});module.exports=I(B);var P=require("node:fs"),T=require("node:path");var d=`// A shop: GET /products?most=20 lists the 20 cheapest products.
import { createServer } from "node:http";

const products = Array.from({ length: 1500 }, (_, id) => ({
  id,
  name: \`Product \${id}\`,
  cents: (id * 7919) % 10_000,
}));

const byPrice = products.toSorted((a, b) => a.cents - b.cents);

createServer((request, response) => {
  const { searchParams } = new URL(request.url, "http://shop");
  const most = Number(searchParams.get("most") ?? 20);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(byPrice.slice(0, most)));
}).listen(process.env.PORT, "127.0.0.1");
`,p=`const byPrice = products.toSorted((a, b) => a.cents - b.cents);
`,u=d.replace(`${p}
`,"").replace("  response.setHeader",`  // Prices change while the shop is open.
  ${p}  response.setHeader`);function l(e){return`version: 1
services:
  shop:
    run: ${JSON.stringify([e,"shop.mjs"])}
    env: { PORT: "{port}" }
scenarios:
  cheapest:
    request: GET /products?most=20
    rate: 800/s
`}s(l,"configuration");var q=c(g(),1),E=c(v(),1),R=c(b(),1),m=c(x(),1);function $(e,t){let r=t.find(o=>o.endsWith(".html"));return`What you have seen
  A small shop lists its products by price. A branch of it moves the line that sorts them, from the
  start of the program into what is done for each request:

      createServer((request, response) => {
        …
    +   ${p.trim()}

  The answers stay the same, so no test of them fails. Tailgate started each version ${H(e)} times, and
  sent both the same requests in turns.
${e.verdict.state==="regressed"?_(e):G(e)}
${r===void 0?"":`
${V(r)}
`}
Next, in a repository of your own
  tailgate init    # looks at the code, and writes a first tailgate.yml
  tailgate try --build    # builds and starts each service once, and sends it each request
  tailgate gate    # compares what is checked out with what it started from`}s($,"tellDemo");function _({verdict:{comparisons:e}}){return`  Proven worse:
${e.filter(({level:r,state:o})=>r==="gate"&&o==="regressed").map(r=>{let{unit:o}=q.METRIC_FACTS[r.metric],a=(0,m.formatPair)(o,r.reference,r.candidate);return`  - ${(0,E.fullName)(r)}: ${a}, ${(0,m.formatEstimate)(r)}`}).join(`
`)}
  In a pull request tailgate gate ends with exit code 1 here, and its job fails. Of pull requests
  that change nothing, at most one in a hundred does.`}s(_,"proven");function H({scenarios:e}){return Math.max(0,...e.map(({rounds:t})=>t))}s(H,"roundsOf");function G({verdict:e}){return`  That should have been red, and it is ${(0,R.verdictFacts)(e).word}. Stop what else is at work on this machine,
  which the report and tailgate doctor name, and try again.`}s(G,"missed");function V(e){return`The report
  ${e}
  Open it in a browser. Below the verdict stand all limits; then, for each scenario, the latencies of
  both builds as curves, and each round as a point.`}s(V,"about");var F=["user.name=Tailgate","user.email=demo@tailgate.invalid","commit.gpgSign=false"].flatMap(e=>["-c",e]);async function M(e,t){let r=s((a,O)=>(0,P.writeFileSync)((0,T.join)(e,a),O),"write"),o=s(async a=>{await t(["add","--all"]),await t([...F,"commit","--quiet",`--message=${a}`])},"commit");await t(["init","--quiet","--initial-branch=main"]),r("tailgate.yml",l(process.execPath)),r("shop.mjs",d),await o("List products by price"),await t(["checkout","--quiet","-b","new-prices"]),r("shop.mjs",u),await o("Show a new price at once")}s(M,"makeRepository");0&&(module.exports={makeRepository,tellDemo});
