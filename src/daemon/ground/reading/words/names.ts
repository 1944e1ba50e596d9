const set = (names: string): ReadonlySet<string> =>
  new Set(names.split(',').map(name => name.trim().replace(/\s+/gu, ' ').toLowerCase()))

/**
 * Technologies that notes name, collected for this product. A name that is also an ordinary word is in
 * `ordinaryTools`, and counts only where it is written with a capital letter.
 */
export const tools = set(`
  .net, activemq, adyen, aiohttp, airbyte, airflow, akka, alembic, algolia, alpine, angular, ansible, apache kafka,
  apache spark, apollo, apt, arangodb, argo cd, argocd, asp.net, auth0, aws, aws lambda, azure, azure devops, babel, bash,
  bazel, bigquery, bitbucket, blazor, bootstrap, brew, bullmq, buildkite, bun, c#, c++, c++17, c++20, c17, caddy, cargo,
  cassandra, celery, ceph, chartjs, chromadb, chromium, cilium, circleci, clang, clickhouse, clojure, cloudflare, cloudfront,
  cloudinary, cloudwatch, cmake, cobol, cockroachdb, confluence, consul, contentful, coredns, couchbase, couchdb, css,
  cypress, dagster, dart, databricks, datadog, dbt, debian, deno, directus, discord, django, docker, docker compose, dotnet,
  drizzle, dropwizard, duckdb, dvc, dynamodb, ec2, eclipse, ecr, ecs, eks, elasticsearch, electron, elixir, elk, elm, emacs,
  ember, envoy, erlang, esbuild, esp32, eslint, etcd, excel, expo, express, f#, fastapi, fastify, fastlane, fedora, ffmpeg,
  figma, firebase, firefox, flask, flink, fluentd, flutter, flyway, fortran, freebsd, freertos, gatsby, gcc, gcp, gdb,
  gerrit, gitea, github, github actions, gitlab, gitlab ci, gke, gnome, godot, golang, google cloud, gotenberg, gradle,
  grafana, grafana cloud, graphql, grpc, grunt, gulp, hadoop, haproxy, haskell, hasura, helm, heroku, hetzner, hibernate,
  html, htmx, http, https, hugo, iceberg, influxdb, insomnia, intellij, ios, istio, jaeger, jasmine, java, javascript,
  jenkins, jest, jetbrains, jira, jooq, jq, jquery, json, julia, junit, jupyter, jwt, k3s, k6, k8s, kafka, karpenter, keda,
  keras, keycloak, kibana, klarna, kong, kotlin, kubectl, kubernetes, langchain, laravel, launchdarkly, lerna, lightgbm,
  linkerd, linux, liquibase, llvm, logstash, longhorn, lua, lucene, macos, magento, mailchimp, mailgun, mailjet, makefile,
  mapbox, mariadb, matlab, matomo, maven, medusa, memcached, mercurial, metabase, metallb, minikube, minio, mlflow, mobx,
  mocha, mollie, mongodb, mongoose, mqtt, msbuild, mssql, mypy, mysql, nakama, nats, neo4j, neovim, nestjs, netlify, netty,
  newrelic, new relic, next.js, nextjs, nginx, nixos, node, node.js, nodejs, nomad, npm, npx, nuget, numpy, nunit, nuxt,
  nvidia, nx, oauth, objective-c, ocaml, okta, onesignal, openai, openapi, opencv, openshift, opensearch, openssl,
  opentelemetry, opentofu, oracle, pandas, paypal, penpot, percona, perl, pgbouncer, pgvector, php, phpunit, playwright,
  pnpm, podman, polars, postgis, postgres, postgresql, posthog, postman, powershell, preact, prisma, prometheus, protobuf,
  pulumi, puppeteer, pydantic, pypi, pyspark, pytest, python, pytorch, qdrant, qml, qt, rabbitmq, rails, ray, rds, react,
  react native, redis, redshift, redux, remix, renovate, rollup, ros 2, route 53, rspec, rstudio, rubocop, ruby, ruff,
  rust, rxjs, s3, salesforce, sap, sass, scala, scikit-learn, scylladb, selenium, semgrep, sendgrid, sentry, shopify,
  shopware, sidekiq, skaffold, snowflake, snyk, solr, sonarqube, sops, spanner, sqlalchemy, sqlite, sqlx, sqs, ssh, ssl,
  strapi, stripe, sql server, sns, storybook, supabase, svelte, sveltekit, swiftui, symfony, tailscale, tailwind,
  tailwind css, tauri, teamcity, temporal, tensorflow, terraform, testcontainers, thanos, three.js, timescaledb, tls, tofu,
  tokio, tomcat, traefik, trino, trpc, turborepo, twilio, typeorm, typescript, ubuntu, unity, unreal engine, uv, uwsgi,
  vagrant, valkey, vercel, vertex ai, vim, vite, vitest, vs code, vue, vue.js, vulkan, wasm, weaviate, webgl, webpack,
  websockets, wireguard, wordpress, xcode, xgboost, yaml, yarn, zephyr, zig, zookeeper, zod, zustand, mlx, cuda, onnx,
  android, android studio, aurora, aws cdk, cdk, cloud run, cloud build, cloudformation, crowdin, dagger, dependabot, dns,
  doppler, druid, envoy proxy, feast, fly.io, hcl, hetzner cloud, honeycomb, jenkinsfile, jfrog, artifactory, kustomize,
  loki, looker, mattermost, mixpanel, nextflow, nats jetstream, newman, nifi, nextcloud, openldap, optuna, pact, pingdom,
  pipenv, poetry, prefect, pulsar, puma, gunicorn, uvicorn, rancher, retool, rook, sanity, seldon, segment, solidity,
  statsd, superset, sveltia, swagger, talos, teleport, testflight, unleash, varnish, velero, vector, wandb, weblate, wwise,
  fmod, zendesk, zipkin, slurm, snakemake, hyperledger, kicad, altium, stm32, esp-idf, platformio, yocto, buildroot, u-boot,
  openocd, j-link, modbus, can bus, zigbee, lorawan, bluetooth, ble, opc ua, messagepack, avro, parquet, arrow, orc, bulma,
  mui, radix, shadcn, chakra ui, lit, solidjs, astro, qwik, eleventy, jekyll, mkdocs, docusaurus, sphinx, antora, 1password,
  bitwarden, vault, slack, teams, notion, linear, trello, asana, miro, zoom, google docs, google analytics, plausible`)

const ordinaryTools = set(`
  go, swift, dart, expo, express, flask, helm, hugo, java, julia, lit, make, node, nomad, nuts, oracle, pact, poetry, puma,
  pulsar, ray, react, redux, remix, rook, ruby, rust, sanity, segment, slack, sphinx, spring, solr, stripe, swagger, teams,
  temporal, unity, vault, vector, vim, yarn, zig, zoom, notion, linear, arrow, avro, aurora, apollo, bootstrap, bun, caddy,
  consul, crystal, dagger, druid, ember, envoy, fluent, gin, grape, honeycomb, insomnia, istio, jasmine, jest, kong, looker,
  longhorn, loki, maven, medusa, mercurial, mocha, mollie, nakama, netty, plausible, prefect, prisma, rails, retool, rollup,
  sass, scala, sentry, snowflake, spark, storybook, superset, talos, teleport, thanos, unleash, varnish, velero, zephyr, zod,
  django, angular, alpine, eclipse, electron, elk, emacs, fedora, feast, excel, artifactory, astro, access, c, r, d, word,
  miro, orc, radix, safari, chrome, edge, sketch, flow, lambda, fargate, kinesis, glue, athena, cognito, amplify, spanner,
  dataflow, composer, buildkite, weaviate, polars, trino, presto, hive, storm, beam, luigi, basic, pascal, ada, nim, racket,
  scheme, prolog, lisp, erlang, gleam, roc, mojo`)

/** True if a name, as written, is a technology. */
export function isTool(name: string): boolean {
  const key = name.toLowerCase()
  return ordinaryTools.has(key) ? /^\p{Lu}/u.test(name) : tools.has(key)
}

export const languages = set(
  'c, c++, c++17, c++20, c17, c#, f#, go, golang, java, javascript, typescript, python, rust, ruby, php, kotlin, swift, scala, haskell, elixir, erlang, clojure, dart, lua, perl, r, julia, zig, ocaml, objective-c, fortran, cobol, solidity, elm, sql, bash',
)

/** First names, collected for this product from several languages. */
const firstNames = set(`
  aaron, abdul, abigail, ada, adam, adrian, agnes, ahmed, aiko, aisha, akira, alan, alba, albert, alejandro, alessandro,
  alex, alexander, alexandra, alexei, alfred, ali, alice, alicia, alina, aliya, allison, alma, alvaro, amanda, amara, amelia,
  amin, amina, amir, amit, amy, ana, anastasia, anders, andrea, andreas, andrei, andrew, andy, anette, angela, anika, anil,
  anita, anja, anke, ann, anna, anne, anouk, anton, antonia, antonio, anya, arjun, arne, arthur, arun, asha, astrid,
  aurora, axel, ayesha, ayse, barbara, bart, bea, beatriz, ben, benjamin, bernd, beth, bianca, bilal, birgit, bjorn, bob,
  bogdan, boris, brad, brian, brigitte, bruno, camille, carl, carla, carlos, carmen, carol, caroline, catherine, cecilia,
  chad, charles, charlie, charlotte, chen, chiara, chloe, chris, christian, christina, christine, christoph, christopher,
  cindy, claire, clara, claudia, colin, conor, cristina, daan, dana, daniel, daniela, daria, darren, dave, david, dean,
  deborah, deepak, denis, derek, diana, diego, dieter, dilara, dimitri, dmitri, dmitry, dominik, don, donald, donna, doris,
  dorothea, doug, eddie, edgar, eduardo, edward, ekaterina, elena, eleanor, elias, elif, elin, elisa, elise, elizabeth, ella,
  ellen, elliot, elsa, emil, emilia, emily, emma, emre, enrique, eric, erica, erik, erika, erin, ernesto, esra, esther,
  ethan, eva, evan, eve, evelyn, fabian, fabio, fatima, fatma, felix, femke, fernando, filip, finn, fiona, florian, frances,
  francesca, francesco, francis, francisco, franck, frank, franz, fred, freya, frida, friedrich, gabriel, gabriela, gary,
  george, georg, gerald, gerd, giovanni, giulia, gisela, grace, greg, greta, grzegorz, guido, guillaume, gunnar, gustav,
  hakan, hamza, hana, hanna, hannah, hans, harald, haruto, harriet, harry, hassan, heather, heidi, heike, helen, helena,
  helga, helmut, hendrik, henning, henri, henrik, henry, hiro, hiroshi, holger, holly, hugo, hussein, ian, ibrahim, ida,
  igor, imran, ines, inga, ingrid, irene, irina, isaac, isabel, isabella, ismail, ivan, ivana, jack, jackie, jacob, jacques,
  jakob, jakub, james, jamie, jan, jana, jane, janine, jason, javier, jay, jean, jeff, jen, jennifer, jens, jeremy, jerome,
  jesper, jesse, jessica, jill, jim, jin, joan, joanna, joao, jochen, joe, joel, joerg, johan, johanna, johannes, john,
  jon, jonas, jonathan, joost, jordan, jorge, jose, josef, joseph, josh, joshua, joy, juan, judith, jules, julia, julian,
  julie, julien, jun, juri, jürgen, kaan, kai, karel, karen, karim, karin, karl, karsten, kasper, kate, katarina, katarzyna,
  kate, katharina, katherine, kathrin, kathy, katja, katrin, kazuki, keiko, keith, ken, kenji, kevin, kim, kiran, klaus,
  kofi, konrad, kristen, kristin, kumar, kurt, kyle, lars, laura, lauren, laurent, lea, leah, lee, leila, lena, leo, leon,
  leonard, leonie, lev, liam, lila, lili, lilian, lin, lina, linda, ling, lisa, liv, liz, logan, lola, lotte, louis, louise,
  luc, luca, lucas, lucia, lucy, luis, luisa, lukas, luke, lydia, maciej, madison, magda, magnus, mahmoud, maja, malik,
  malte, manuel, mara, marc, marcel, marco, marcus, margaret, maria, mariam, marie, marina, mario, marion, marius, mark,
  markus, marlene, marta, martha, martin, martina, mary, maryam, mateo, mateusz, matt, mattias, matteo, matthew, matthias,
  matthieu, maurice, max, maya, megan, mehmet, mei, mei-ling, melanie, melissa, mia, michael, michaela, michal, michel,
  michelle, miguel, mikael, mike, mikhail, mila, milan, milena, mina, ming, mira, miriam, mohamed, mohammed, mona, monica,
  monika, moritz, mustafa, nadia, nadine, naomi, natalia, natalie, natasha, nathan, neha, neil, nia, nicholas, nick, nico,
  nicola, nicolas, nicole, niels, nigel, niklas, nikolai, nils, nina, noah, noel, nora, norbert, nuno, olaf, ole, oleg,
  olga, oliver, olivia, olivier, omar, oscar, oskar, otto, pablo, pamela, paola, pascal, patricia, patrick, paul, paula,
  pauline, pavel, pedro, peggy, penelope, per, peter, petra, phil, philip, philipp, philippe, pierre, pietro, piotr, priya,
  priyanka, rachel, rafael, rahul, raj, rajesh, ralf, ralph, ramon, rania, raphael, raquel, rashid, ravi, raymond, rebecca,
  reinhard, rene, renate, ricardo, richard, rick, rita, rob, robert, roberta, roberto, robin, rodrigo, roger, roland, rolf,
  roman, ron, rosa, rose, ross, roxana, ruben, rudi, rui, ruth, ryan, sabine, sabrina, sacha, said, sally, salma, sam,
  samantha, samir, samuel, sandra, sandro, sanjay, sara, sarah, sascha, sato, scott, sean, sebastian, selin, selma, serena,
  sergei, sergio, shane, shannon, sharon, shreya, sigrid, silke, silvia, simon, simone, siobhan, sofia, sofie, sonia,
  sophia, sophie, soren, stacy, stan, stefan, stefanie, stephan, stephanie, stephen, steve, steven, stuart, sue, sunil,
  susan, susanne, svea, sven, svetlana, sylvia, tamara, tanja, tanya, tariq, tatiana, ted, teresa, terry, tessa, theo,
  theresa, thierry, thomas, thorsten, tiago, tilda, till, tim, timo, tina, tobias, todd, tom, tomas, tomasz, tommy, toni,
  tony, torsten, tracy, udo, ulf, ulrich, ulrike, uma, ursula, uwe, valentina, valeria, vanessa, vera, veronica, victor,
  victoria, viktor, vincent, vijay, viola, vladimir, walter, wei, wendy, werner, wilhelm, will, william, wojciech,
  wolfgang, xavier, xiao, yael, yan, yana, yann, yannick, yara, yasmin, yuki, yuri, yusuf, yves, yvonne, zara, zeynep, zoe,
  zofia`)

/** First names that are also words or technologies: alone they need a verb that only people take. */
const ambiguousNames = set(
  'will, mark, max, may, don, ray, grace, rose, joy, hugo, julia, aurora, dart, pascal, jasmine, jin, till, said, per, rob, sue, chad, lin, jean, jay, rich, bill, art, sandy, drew, faith, hope, jack, ken, dean, jordan, lee, page, rust, stan, mia, ada, sam',
)

export function isFirstName(word: string): boolean {
  return firstNames.has(word.toLowerCase()) || firstNames.has(word.toLowerCase().split('-')[0] ?? '')
}

export function isAmbiguousName(word: string): boolean {
  return ambiguousNames.has(word.toLowerCase())
}
