var D=Object.create;var g=Object.defineProperty;var v=Object.getOwnPropertyDescriptor;var z=Object.getOwnPropertyNames;var V=Object.getPrototypeOf,A=Object.prototype.hasOwnProperty;var s=(e,t)=>g(e,"name",{value:t,configurable:!0});var F=(e,t)=>()=>{try{return t||e((t={exports:{}}).exports,t),t.exports}catch(r){throw t=0,r}},L=(e,t)=>{for(var r in t)g(e,r,{get:t[r],enumerable:!0})},w=(e,t,r,o)=>{if(t&&typeof t=="object"||typeof t=="function")for(let n of z(t))!A.call(e,n)&&n!==r&&g(e,n,{get:()=>t[n],enumerable:!(o=v(t,n))||o.enumerable});return e};var I=(e,t,r)=>(r=e!=null?D(V(e)):{},w(t||!e||!e.__esModule?g(r,"default",{value:e,enumerable:!0}):r,e)),H=e=>w(g({},"__esModule",{value:!0}),e);var k=F((G,O)=>{O.exports=require("./main.cjs").parts["src/core/base/errors.ts"]()});var N={};L(N,{renderCompletion:()=>Y});module.exports=H(N);var W=I(k(),1);var q=/^ {2}(?:(-[a-z]), )?(--[a-z0-9-]+)(?: (<[^>]+>))? +(.*)$/;function y(e,t){let[r="",,o="",...n]=t.split(`
`),i=n.flatMap(p=>{let c=q.exec(p);if(c===null)return[];let[,a=null,d="",u=null,f=""]=c;return[{name:d,short:a,takes:u,help:f}]}),l=r.replace(`tailgate ${e}`,"").replace("[flags]","").trim();return{name:e,summary:o.trim(),positionals:l,flags:i}}s(y,"parseHelp");function m(e,t){return e.includes("|")?{kind:"words",words:e.replaceAll(/[<>]/g,"").split(/ ?\| ?/)}:e==="<command>"?{kind:"words",words:t}:e==="<folder>"?{kind:"folders"}:{kind:/^<(file|.*\.json)>$/.test(e)?"files":"unknown"}}s(m,"valuesOf");function P(e){let t=e.map(({name:n})=>n),r=e.flatMap(({name:n,flags:i})=>i.flatMap(l=>l.takes===null?[]:`    "${n} ${l.name}") ${R(m(l.takes,t))}; return ;;`)),o=e.map(({name:n,positionals:i,flags:l})=>{let p=[...l.map(a=>a.name),"--help"].join(" "),c=R(m(i,t));return`    ${n}) [[ $current == -* ]] || { ${c}; return; }; flags="${p}" ;;`});return`# Completes tailgate in bash. In ~/.bashrc: source <(tailgate completion bash)
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
`}s(P,"bashScript");function R(e){switch(e.kind){case"words":return`_tailgate_words "${e.words.join(" ")}"`;case"files":return"_tailgate_paths -f";case"folders":return"_tailgate_paths -d";case"unknown":return":"}}s(R,"offer");function j(e){let t=e.map(({name:o})=>o);return`# Completes tailgate in fish: tailgate completion fish > ~/.config/fish/completions/tailgate.fish
complete -c tailgate -f
complete -c tailgate -s h -l help -d 'flags and examples'
complete -c tailgate -n __fish_use_subcommand -l version -d 'the version of tailgate'
${e.flatMap(({name:o,summary:n,positionals:i,flags:l})=>{let p=`complete -c tailgate -n ${_(`__fish_seen_subcommand_from ${o}`)}`,c=b(m(i,t));return[`complete -c tailgate -n __fish_use_subcommand -a ${o} -d ${_(n)}`,...c===""?[]:[`${p} ${c}`],...l.map(a=>{let d=a.short===null?"":` -s ${a.short.slice(1)}`,u=a.takes===null?null:b(m(a.takes,t)),f=u===null?"":` ${u===x?"-r":"-x"} ${u}`,$=`-l ${a.name.slice(2)}${d}${f.trimEnd()}`;return`${p} ${$} -d ${_(a.help)}`})]}).join(`
`)}
`}s(j,"fishScript");var x="-F";function b(e){switch(e.kind){case"words":return`-a ${_(e.words.join(" "))}`;case"files":return x;case"folders":return"-a '(__fish_complete_directories)'";case"unknown":return""}}s(b,"offer");function _(e){return`'${e.replaceAll("\\","\\\\").replaceAll("'","\\'")}'`}s(_,"quoted");function E(e){let t=e.map(({name:n})=>n),r=e.map(({name:n,summary:i})=>`    ${h(`${n}:${i.replaceAll(":","\\:")}`)}`),o=e.map(n=>{let i=n.flags.map(({name:p,short:c,takes:a,help:d})=>{let u=d.includes("several times")?"*":"",f=a===null?"":`:${S(a)}:${M(m(a,t))}`,$=h(`[${S(d)}]${f}`);return c===null?`${h(u+p)}${$}`:`{${c},${p}}${$}`}),l=h(`1: :${M(m(n.positionals,t))}`);return`    ${n.name}) _arguments ${[...i,T,l].join(" ")} ;;`});return`#compdef tailgate
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
`}s(E,"zshScript");var T="'--help[flags and examples]'";function M(e){switch(e.kind){case"words":return`(${e.words.join(" ")})`;case"files":return"_files";case"folders":return"_files -/";case"unknown":return" "}}s(M,"offer");function S(e){return e.replaceAll(/[[\]:\\]/g,"\\$&")}s(S,"inSpec");function h(e){return`'${e.replaceAll("'","'\\''")}'`}s(h,"quoted");var C={bash:P,zsh:E,fish:j},U={name:"help",summary:"flags and examples of a command",positionals:"<command>",flags:[]};function Y(e,t){let r=Object.hasOwn(C,e)?C[e]:void 0,o=Object.entries(t).map(([i,l])=>y(i,l));if(r!==void 0)return r([...o,U]);let n=e===""?"name a shell":`there is none for ${e}`;throw new W.UserError(`tailgate completion: ${n}`,{next:`One of: ${Object.keys(C).join(", ")}.`})}s(Y,"renderCompletion");0&&(module.exports={renderCompletion});
