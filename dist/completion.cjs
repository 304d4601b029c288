var F=Object.create;var g=Object.defineProperty;var V=Object.getOwnPropertyDescriptor;var A=Object.getOwnPropertyNames;var L=Object.getPrototypeOf,I=Object.prototype.hasOwnProperty;var o=(e,t)=>g(e,"name",{value:t,configurable:!0});var q=(e,t)=>()=>{try{return t||e((t={exports:{}}).exports,t),t.exports}catch(s){throw t=0,s}},H=(e,t)=>{for(var s in t)g(e,s,{get:t[s],enumerable:!0})},O=(e,t,s,r)=>{if(t&&typeof t=="object"||typeof t=="function")for(let n of A(t))!I.call(e,n)&&n!==s&&g(e,n,{get:()=>t[n],enumerable:!(r=V(t,n))||r.enumerable});return e};var T=(e,t,s)=>(s=e!=null?F(L(e)):{},O(t||!e||!e.__esModule?g(s,"default",{value:e,enumerable:!0}):s,e)),U=e=>O(g({},"__esModule",{value:!0}),e);var R=q((Q,y)=>{y.exports=require("./main.cjs").parts["src/core/base/errors.ts"]()});var J={};H(J,{renderCompletion:()=>G,renderOverview:()=>D});module.exports=U(J);var z=T(R(),1);var Y=/^ {2}(?:(-[a-z]), )?(--[a-z0-9-]+)(?: (<[^>]+>))? +(.*)$/;function k(e,t){let[s="",,r="",...n]=t.split(`
`),i=n.flatMap(p=>{let c=Y.exec(p);if(c===null)return[];let[,a=null,u="",d=null,f=""]=c;return[{name:u,short:a,takes:d,help:f}]}),l=s.replace(`tailgate ${e}`,"").replace("[flags]","").trim();return{name:e,summary:r.trim(),positionals:l,flags:i}}o(k,"parseHelp");function m(e,t){return e.includes("|")?{kind:"words",words:e.replaceAll(/[<>]/g,"").split(/ ?\| ?/)}:e==="<command>"?{kind:"words",words:t}:e==="<folder>"?{kind:"folders"}:{kind:/^<(file|.*\.json)>$/.test(e)?"files":"unknown"}}o(m,"valuesOf");function b(e){let t=e.map(({name:n})=>n),s=e.flatMap(({name:n,flags:i})=>i.flatMap(l=>l.takes===null?[]:`    "${n} ${l.name}") ${x(m(l.takes,t))}; return ;;`)),r=e.map(({name:n,positionals:i,flags:l})=>{let p=[...l.map(a=>a.name),"--help"].join(" "),c=x(m(i,t));return`    ${n}) [[ $current == -* ]] || { ${c}; return; }; flags="${p}" ;;`});return`# Completes tailgate in bash. In ~/.bashrc: source <(tailgate completion bash)
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
${s.join(`
`)}
  esac
  case "\${COMP_WORDS[1]}" in
${r.join(`
`)}
  esac
  _tailgate_words "$flags"
}
complete -F _tailgate tailgate
`}o(b,"bashScript");function x(e){switch(e.kind){case"words":return`_tailgate_words "${e.words.join(" ")}"`;case"files":return"_tailgate_paths -f";case"folders":return"_tailgate_paths -d";case"unknown":return":"}}o(x,"offer");function P(e){let t=e.map(({name:r})=>r);return`# Completes tailgate in fish: tailgate completion fish > ~/.config/fish/completions/tailgate.fish
complete -c tailgate -f
complete -c tailgate -s h -l help -d 'flags and examples'
complete -c tailgate -n __fish_use_subcommand -l version -d 'the version of tailgate'
${e.flatMap(({name:r,summary:n,positionals:i,flags:l})=>{let p=`complete -c tailgate -n ${h(`__fish_seen_subcommand_from ${r}`)}`,c=j(m(i,t));return[`complete -c tailgate -n __fish_use_subcommand -a ${r} -d ${h(n)}`,...c===""?[]:[`${p} ${c}`],...l.map(a=>{let u=a.short===null?"":` -s ${a.short.slice(1)}`,d=a.takes===null?null:j(m(a.takes,t)),f=d===null?"":` ${d===S?"-r":"-x"} ${d}`,$=`-l ${a.name.slice(2)}${u}${f.trimEnd()}`;return`${p} ${$} -d ${h(a.help)}`})]}).join(`
`)}
`}o(P,"fishScript");var S="-F";function j(e){switch(e.kind){case"words":return`-a ${h(e.words.join(" "))}`;case"files":return S;case"folders":return"-a '(__fish_complete_directories)'";case"unknown":return""}}o(j,"offer");function h(e){return`'${e.replaceAll("\\","\\\\").replaceAll("'","\\'")}'`}o(h,"quoted");function E(e){let t=e.map(({name:n})=>n),s=e.map(({name:n,summary:i})=>`    ${_(`${n}:${i.replaceAll(":","\\:")}`)}`),r=e.map(n=>{let i=n.flags.map(({name:p,short:c,takes:a,help:u})=>{let d=u.includes("several times")?"*":"",f=a===null?"":`:${M(a)}:${v(m(a,t))}`,$=_(`[${M(u)}]${f}`);return c===null?`${_(d+p)}${$}`:`{${c},${p}}${$}`}),l=_(`1: :${v(m(n.positionals,t))}`);return`    ${n.name}) _arguments ${[...i,N,l].join(" ")} ;;`});return`#compdef tailgate
# Completes tailgate in zsh. In ~/.zshrc, after compinit: source <(tailgate completion zsh)
_tailgate() {
  local -a commands=(
${s.join(`
`)}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  shift words
  ((CURRENT--))
  case "$words[1]" in
${r.join(`
`)}
  esac
}
if [[ $funcstack[1] == _tailgate ]]; then _tailgate "$@"; else compdef _tailgate tailgate; fi
`}o(E,"zshScript");var N="'--help[flags and examples]'";function v(e){switch(e.kind){case"words":return`(${e.words.join(" ")})`;case"files":return"_files";case"folders":return"_files -/";case"unknown":return" "}}o(v,"offer");function M(e){return e.replaceAll(/[[\]:\\]/g,"\\$&")}o(M,"inSpec");function _(e){return`'${e.replaceAll("'","'\\''")}'`}o(_,"quoted");var w=["demo","init","try","gate"];function D(e,t){let s=[...w,...Object.keys(t).filter(n=>!w.includes(n))],r=W(s.map(n=>[n,t[n]?.summary??""]));return[`tailgate ${e}: gates pull requests on tail latency and memory`,"","Usage: tailgate <command> [flags]","","Start here",...r.slice(0,w.length),"","Commands",...r.slice(w.length),"","tailgate <command> --help shows a command's flags and examples; tailgate version shows the version.","","Exit codes",...W([["0","acceptable: pass or improved"],["1","regressed"],["2","usage, configuration, build, or no baseline to compare with"],["3","invalid measurement"],["4","inconclusive"]]),""].join(`
`)}o(D,"renderOverview");function W(e){let t=Math.max(...e.map(([s=""])=>s.length));return e.map(([s="",r=""])=>`  ${s.padEnd(t)}  ${r}`)}o(W,"columns");var C={bash:b,zsh:E,fish:P},B={name:"help",summary:"flags and examples of a command",positionals:"<command>",flags:[]};function G(e,t){let s=Object.hasOwn(C,e)?C[e]:void 0,r=Object.entries(t).map(([i,l])=>k(i,l));if(s!==void 0)return s([...r,B]);let n=e===""?"name a shell":`there is none for ${e}`;throw new z.UserError(`tailgate completion: ${n}`,{next:`One of: ${Object.keys(C).join(", ")}.`})}o(G,"renderCompletion");0&&(module.exports={renderCompletion,renderOverview});
