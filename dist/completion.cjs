var F=Object.create;var g=Object.defineProperty;var V=Object.getOwnPropertyDescriptor;var A=Object.getOwnPropertyNames;var L=Object.getPrototypeOf,I=Object.prototype.hasOwnProperty;var s=(e,t)=>g(e,"name",{value:t,configurable:!0});var q=(e,t)=>()=>{try{return t||e((t={exports:{}}).exports,t),t.exports}catch(r){throw t=0,r}},H=(e,t)=>{for(var r in t)g(e,r,{get:t[r],enumerable:!0})},y=(e,t,r,o)=>{if(t&&typeof t=="object"||typeof t=="function")for(let n of A(t))!I.call(e,n)&&n!==r&&g(e,n,{get:()=>t[n],enumerable:!(o=V(t,n))||o.enumerable});return e};var T=(e,t,r)=>(r=e!=null?F(L(e)):{},y(t||!e||!e.__esModule?g(r,"default",{value:e,enumerable:!0}):r,e)),U=e=>y(g({},"__esModule",{value:!0}),e);var k=q((Q,R)=>{R.exports=require("./main.cjs").parts["src/core/base/errors.ts"]()});var J={};H(J,{renderCompletion:()=>G,renderOverview:()=>D});module.exports=U(J);var z=T(k(),1);var Y=/^ {2}(?:(-[a-z]), )?(--[a-z0-9-]+)(?: (<[^>]+>))? +(.*)$/;function x(e,t){let[r="",,o="",...n]=t.split(`
`),i=n.flatMap(p=>{let c=Y.exec(p);if(c===null)return[];let[,a=null,u="",d=null,f=""]=c;return[{name:u,short:a,takes:d,help:f}]}),l=r.replace(`tailgate ${e}`,"").replace("[flags]","").trim();return{name:e,summary:o.trim(),positionals:l,flags:i}}s(x,"parseHelp");function m(e,t){return e.includes("|")?{kind:"words",words:e.replaceAll(/[<>]/g,"").split(/ ?\| ?/)}:e==="<command>"?{kind:"words",words:t}:e==="<folder>"?{kind:"folders"}:{kind:/^<(file|.*\.json)>$/.test(e)?"files":"unknown"}}s(m,"valuesOf");function j(e){let t=e.map(({name:n})=>n),r=e.flatMap(({name:n,flags:i})=>i.flatMap(l=>l.takes===null?[]:`    "${n} ${l.name}") ${b(m(l.takes,t))}; return ;;`)),o=e.map(({name:n,positionals:i,flags:l})=>{let p=[...l.map(a=>a.name),"--help"].join(" "),c=b(m(i,t));return`    ${n}) [[ $current == -* ]] || { ${c}; return; }; flags="${p}" ;;`});return`# Completes tailgate in bash. In ~/.bashrc: source <(tailgate completion bash)
_tailgate_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
_tailgate_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$current"))
}
_tailgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flags="" i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _tailgate_words "${t.join(" ")} --help --version"
    return
  fi
  # Behind -- stands the command of another program.
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} != -- ]] || { _tailgate_paths -f; return; }
  done
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${r.join(`
`)}
  esac
  case "\${COMP_WORDS[1]}" in
${o.join(`
`)}
  esac
  _tailgate_words "$flags"
}
complete -F _tailgate tailgate
`}s(j,"bashScript");function b(e){switch(e.kind){case"words":return`_tailgate_words "${e.words.join(" ")}"`;case"files":return"_tailgate_paths -f";case"folders":return"_tailgate_paths -d";case"unknown":return":"}}s(b,"offer");function S(e){let t=e.map(({name:o})=>o);return`# Completes tailgate in fish: tailgate completion fish > ~/.config/fish/completions/tailgate.fish
complete -c tailgate -f
complete -c tailgate -s h -l help -d 'flags and examples'
complete -c tailgate -n __fish_use_subcommand -l version -d 'the version of tailgate'
${e.flatMap(({name:o,summary:n,positionals:i,flags:l})=>{let p=`complete -c tailgate -n ${h(`__fish_seen_subcommand_from ${o}`)}`,c=P(m(i,t));return[`complete -c tailgate -n __fish_use_subcommand -a ${o} -d ${h(n)}`,...c===""?[]:[`${p} ${c}`],...l.map(a=>{let u=a.short===null?"":` -s ${a.short.slice(1)}`,d=a.takes===null?null:P(m(a.takes,t)),f=d===null?"":` ${d===v?"-r":"-x"} ${d}`,$=`-l ${a.name.slice(2)}${u}${f.trimEnd()}`;return`${p} ${$} -d ${h(a.help)}`})]}).join(`
`)}
`}s(S,"fishScript");var v="-F";function P(e){switch(e.kind){case"words":return`-a ${h(e.words.join(" "))}`;case"files":return v;case"folders":return"-a '(__fish_complete_directories)'";case"unknown":return""}}s(P,"offer");function h(e){return`'${e.replaceAll("\\","\\\\").replaceAll("'","\\'")}'`}s(h,"quoted");function W(e){let t=e.map(({name:n})=>n),r=e.map(({name:n,summary:i})=>`    ${_(`${n}:${i.replaceAll(":","\\:")}`)}`),o=e.map(n=>{let i=n.flags.map(({name:p,short:c,takes:a,help:u})=>{let d=u.includes("several times")?"*":"",f=a===null?"":`:${E(a)}:${M(m(a,t))}`,$=_(`[${E(u)}]${f}`);return c===null?`${_(d+p)}${$}`:`{${c},${p}}${$}`}),l=_(`1: :${M(m(n.positionals,t))}`);return`    ${n.name}) _arguments ${[...i,N,l].join(" ")} ;;`});return`#compdef tailgate
# Completes tailgate in zsh. In ~/.zshrc, after compinit: source <(tailgate completion zsh)
_tailgate() {
  local -a commands=(
${r.join(`
`)}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  shift words
  ((CURRENT--))
  case "$words[1]" in
${o.join(`
`)}
  esac
}
if [[ $funcstack[1] == _tailgate ]]; then _tailgate "$@"; else compdef _tailgate tailgate; fi
`}s(W,"zshScript");var N="'--help[flags and examples]'";function M(e){switch(e.kind){case"words":return`(${e.words.join(" ")})`;case"files":return"_files";case"folders":return"_files -/";case"unknown":return" "}}s(M,"offer");function E(e){return e.replaceAll(/[[\]:\\]/g,"\\$&")}s(E,"inSpec");function _(e){return`'${e.replaceAll("'","'\\''")}'`}s(_,"quoted");function C(e){let t=Math.max(...e.map(([r=""])=>r.length));return e.map(([r="",o=""])=>`  ${r.padEnd(t)}  ${o}`)}s(C,"columns");var w=["demo","init","try","gate"];function D(e,t){let r=[...w,...Object.keys(t).filter(n=>!w.includes(n))],o=C(r.map(n=>[n,t[n]?.summary??""]));return[`tailgate ${e}: gates pull requests on tail latency and memory`,"","Usage: tailgate <command> [flags]","","Start here",...o.slice(0,w.length),"","Commands",...o.slice(w.length),"","tailgate <command> --help shows a command's flags and examples; tailgate version shows the version.","","Exit codes",...C([["0","acceptable: pass or improved"],["1","regressed"],["2","usage, configuration, build, or no baseline to compare with"],["3","invalid measurement"],["4","inconclusive"]]),""].join(`
`)}s(D,"renderOverview");var O={bash:j,zsh:W,fish:S},B={name:"help",summary:"flags and examples of a command",positionals:"<command>",flags:[]};function G(e,t){let r=Object.hasOwn(O,e)?O[e]:void 0,o=Object.entries(t).map(([i,l])=>x(i,l));if(r!==void 0)return r([...o,B]);let n=e===""?"name a shell":`there is none for ${e}`;throw new z.UserError(`tailgate completion: ${n}`,{next:`One of: ${Object.keys(O).join(", ")}.`})}s(G,"renderCompletion");0&&(module.exports={renderCompletion,renderOverview});
