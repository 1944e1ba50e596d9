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
  bitwarden, vault, slack, teams, notion, linear, trello, asana, miro, zoom, google docs, google analytics, plausible, restic, borg, borgbackup, duplicity, rclone, barman, pgbackrest, wal-g, woodpecker ci, travis ci, appveyor, bamboo,
  spinnaker, fluxcd, crossplane, harbor, sonatype nexus, trivy, grype, falco, kyverno, cert-manager, opsgenie, pagerduty,
  bugsnag, rollbar, crashlytics, nagios, zabbix, icinga, checkmk, graylog, splunk, dynatrace, instana, victoriametrics,
  grafana mimir, questdb, typesense, meilisearch, milvus, pinecone, lancedb, tidb, yugabytedb, firebird, db2, aerospike,
  foundationdb, hazelcast, libsql, turso, planetscale, mongodb atlas, hono, koa, ghost, storyblok, drupal, joomla, typo3,
  craft cms, wagtail, umbraco, imgproxy, thumbor, squid, jetty, wildfly, quarkus, micronaut, spring boot, vaadin, phoenix,
  sinatra, ktor, vapor, actix, axum, rocket, jetpack compose, kotlin multiplatform, ionic, cordova, capacitor, xamarin,
  realm, core data, camunda, zeebe, flowable, argo workflows, msmq, ibm mq, zeromq, mosquitto, emqx, redpanda, debezium,
  kafka connect, perforce, plastic scm, git, git lfs, svn, subversion, blender, houdini, openxr, steamworks, playfab, ros,
  ros2, gazebo, moveit, micropython, arduino, threadx, nuttx, px4, ardupilot, samtools, gatk, fastqc, multiqc, conda, mamba,
  singularity, apptainer, openmpi, spack, odoo, dynamics 365, netsuite, hubspot, moodle, sharepoint, microsoft 365,
  google workspace, shibboleth, zitadel, authentik, authelia, freeipa, active directory, entra id, azure ad, fivetran,
  talend, tableau, power bi, qlik, redash, great expectations, delta lake, hudi, hugging face, vllm, ollama, llama.cpp,
  langgraph, llamaindex, spacy, nltk, braintree, worldpay, avalara, taxjar, chargebee, recurly, paddle, rocket.chat, zulip,
  telegram, whatsapp, vonage, postmark, amazon ses, mailpit, mailhog, postfix, dovecot, exim, windows server, rhel,
  rocky linux, almalinux, centos, arch linux, opensuse, proxmox, vmware, esxi, kvm, qemu, virtualbox, packer, guix, webrtc,
  saml, oidc, openid connect, ldap, kerberos, sftp, amqp, soap, odata, thrift, json schema, asciidoc, latex, pandoc, typst,
  mermaid, plantuml, excalidraw, read the docs, mkdocs-material, uptime kuma, backstage, openapi generator, hazelcast,
  keda, tekton, buildah, skopeo, nerdctl, containerd, minikube, colima, devcontainers, renovate bot, sonarcloud, codecov,
  coveralls, knip, lefthook, husky, changesets, semantic-release, goreleaser, cypress cloud, appium, maestro, detox,
  locust, gatling, jmeter, wiremock, pact broker, mockito, kotest, hypothesis, fast-check, biome, oxlint, prettier, black,
  flake8, isort, pylint, golangci-lint, clippy, checkstyle, spotbugs, detekt, ktlint, swiftlint`)

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
  scheme, prolog, lisp, erlang, gleam, roc, mojo, borg, bamboo, harbor, falco, ghost, squid, jetty, phoenix, vapor, rocket,
  realm, capacitor, singularity, blender, backstage, paddle, black, husky, hypothesis, maestro, detox, locust, biome, clippy,
  packer, mamba, conda, soap, hudi, thrift, latex, ionic, git, mermaid, changesets, authentik, odoo, telegram, mosquitto`)

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
  aaron, abdul, abebe, abigail, ada, adaeze, adam, aditi, aditya, adrian, adriana, agata, agnes, agnieszka, ahmed, aiko,
  aino, aisha, akash, akira, alan, alba, albert, alejandro, alessandro, alessia, alex, alexander, alexandra, alexei,
  alexis, alfonso, alfred, ali, alice, alicia, alina, alisha, alistair, aliya, allison, alma, alvaro, amal, amanda,
  amara, amelia, amin, amina, amir, amit, amy, ana, ananya, anastasia, anders, andrea, andreas, andrei, andrew, andrius,
  andy, aneta, anette, angela, anika, anil, anita, anja, anke, ann, anna, anne, anneke, anouk, ansgar, antje, anton,
  antonia, antonio, anu, anurag, anya, aoife, arash, ariana, arianna, arjun, armin, arnaud, arne, arthur, arun, asha,
  ashish, astrid, aurelie, aurora, axel, ayesha, ayse, ayumi, barbara, bart, bastian, bastien, bea, beata, beate,
  beatriz, ben, benedikt, benjamin, benoit, bente, bernadette, bernard, bernd, beth, bettina, bianca, bilal, birgit,
  bjorn, bob, bodo, bogdan, boglarka, boris, brad, brendan, brett, brian, bridget, brigitte, britta, bruno, caitlin,
  callum, camille, carina, carl, carla, carlos, carmen, carol, carola, caroline, carsten, catalina, catherine, cecilia,
  cedric, cem, chad, chandra, charles, charlie, charlotte, chen, chiamaka, chiara, chidi, chinedu, chloe, chris,
  christian, christina, christine, christoph, christopher, ciara, cindy, claire, clara, claudia, clemens, clement, colin,
  conor, constantin, cornelia, cristina, cyril, daan, dagmar, damian, damien, dana, danica, daniel, daniela, daphne,
  daria, darko, darren, dave, david, dean, deborah, declan, deepak, delphine, denis, deniz, derek, diana, diarmuid,
  diego, dieter, dilara, dilip, dimitri, dirk, divya, dmitri, dmitry, dominik, don, donald, donna, dora, doris, dorota,
  dorothea, doug, dragan, eddie, edgar, edith, eduardo, edward, eero, eilidh, ekaterina, eleanor, elena, elias, elif,
  elin, elisa, elise, eliska, elizabeth, elke, ella, ellen, elliot, elodie, elsa, elvira, emanuel, emeka, emil, emilia,
  emily, emma, emmanuel, emre, enrique, enzo, eric, erica, erik, erika, erin, ernesto, ernst, esra, estelle, esther,
  eszter, ethan, eugene, eva, evan, eve, evelyn, ewa, ewan, fabian, fabio, farah, farid, fatima, fatma, fatou, felix,
  femke, fernanda, fernando, filip, finn, fiona, flavia, fleur, florian, folake, frances, francesca, francesco, francis,
  francisco, franck, frank, franz, frauke, fred, frederik, freya, frida, friedrich, fumiko, gabriel, gabriela, gary,
  gemma, georg, george, gerald, gerd, gerhard, gianni, gilles, gina, ginevra, giovanni, gisela, giulia, gloria, gonzalo,
  gopal, gordana, grace, graham, greg, gregor, gregory, greta, grzegorz, gudrun, guido, guillaume, gunnar, gustav,
  gustavo, gwen, hakan, halima, hamid, hamza, hana, hanna, hannah, hannes, hanno, hans, harald, harish, harriet, harry,
  haruto, hasan, hassan, heather, hector, hedwig, heidi, heike, heinrich, heinz, hele, helen, helena, helga, helmut,
  hendrik, henk, henning, henri, henrik, henrike, henry, hermann, hilda, hilde, hiro, hiroshi, holger, holly, hugh, hugo,
  hussein, ian, ibrahim, ida, ifeoma, igor, ikram, ilaria, ilse, ilya, imke, imran, ines, inga, inge, ingo, ingrid, inka,
  ioana, irene, irina, isaac, isabel, isabella, isabelle, ismail, ivan, ivana, ivo, iwona, jaap, jack, jackie, jacob,
  jacques, jadwiga, jaime, jakob, jakov, jakub, james, jamie, jan, jana, jane, janek, janez, janina, janine, jaroslav,
  jason, javier, jay, jean, jeff, jelena, jen, jennifer, jenny, jens, jeremy, jerome, jesper, jesse, jessica, jette,
  jill, jim, jin, jiri, joachim, joan, joanna, joao, joaquin, jochem, jochen, joe, joel, joerg, johan, johann, johanna,
  johannes, john, jolanta, jon, jonas, jonathan, joost, jordan, jorge, jorgen, jorn, jose, josef, joseph, josephine,
  josh, joshua, josip, jovana, joy, juan, judith, juho, jules, julia, julian, julie, julien, jun, jurgen, juri, jutta,
  jürgen, kaan, kai, kaito, kamal, kamil, karel, karen, karim, karin, karina, karl, karolina, karsten, kaspar, kasper,
  katarina, katarzyna, kate, katerina, katharina, katherine, kathleen, kathrin, kathy, katie, katja, katrin, kavita,
  kazuki, keiko, keith, ken, kenji, kenneth, kerstin, kevin, khadija, khalid, kieran, kim, kiran, kirsten, kjell, klara,
  klaus, kofi, konrad, kristen, kristin, kumar, kurt, kwame, kyle, lara, larissa, lars, lasse, laszlo, latoya, laura,
  lauren, laurent, lea, leah, leandro, lee, leif, leila, lena, lenka, leo, leon, leonard, leonardo, leonid, leonie,
  leonor, leticia, lev, liam, liesbeth, liisa, lila, lili, lilian, lin, lina, linda, ling, linnea, linus, lisa, liv,
  livia, liz, logan, lola, lorena, lorenzo, lothar, lotte, louis, louisa, louise, lubos, luc, luca, lucas, lucia,
  luciano, lucy, ludovic, ludwig, luis, luisa, luka, lukas, lukasz, luke, luuk, lydia, maarten, maciej, madeleine,
  madison, mads, maeve, magda, magdalena, magnus, mahesh, mahmoud, maike, maiko, maja, makoto, malgorzata, malik, malte,
  manfred, manish, manoj, manuel, mara, marc, marcel, marcin, marco, marcus, marek, margaret, margit, margot, maria,
  mariam, mariana, marie, marija, marika, marina, mario, marion, marisol, marit, marius, marjan, mark, marko, markus,
  marlene, marlies, marta, martha, martin, martina, mary, maryam, maryna, matej, mateo, mateusz, mathilde, matias,
  matilda, mats, matt, matteo, matthew, matthias, matthieu, mattias, matus, maurice, mauro, max, maximilian, maya, meera,
  megan, mehdi, mehmet, mei, mei-ling, meike, melanie, melissa, mercedes, merve, mia, michael, michaela, michal, michel,
  michele, michelle, michiel, miguel, mihaela, mihai, mikael, mike, mikhail, mikko, mila, milan, milena, milos, mina,
  ming, mira, mireille, mirela, miriam, mirjam, mirko, miroslav, mohamed, mohammed, moira, mona, monica, monika, monique,
  moritz, murat, mustafa, myriam, nadia, nadine, nadja, najib, nanami, naomi, natalia, natalie, natasha, nathan, naveen,
  neele, neha, neil, nela, nelson, neve, nia, nicholas, nick, nico, nicola, nicolai, nicolas, nicole, niels, nienke,
  nigel, nikita, niklas, nikola, nikolai, nikos, nils, nina, nisha, nkechi, noah, noel, noemi, noor, nora, norbert, nour,
  nuno, okan, oksana, olaf, ole, oleg, olena, olga, oliver, olivia, olivier, oliwia, olumide, omar, ondrej, onur, orla,
  orsolya, oscar, oskar, osman, ottilie, otto, pablo, pamela, paola, pascal, pascale, patricia, patrick, patrik, pau,
  paul, paula, pauliina, pauline, paulo, pavel, pawel, pedro, peggy, pekka, penelope, per, peter, petra, phil, philip,
  philipp, philippe, pia, pierre, piet, pietro, pilar, piotr, pooja, pradeep, prakash, pranav, priya, priyanka,
  przemyslaw, rachel, radek, radu, rafael, rafal, rahul, raimund, raj, rajesh, rajiv, ralf, ralph, ramesh, ramon, rana,
  rania, raphael, raquel, rashid, rasmus, raul, ravi, raymond, rebecca, regina, reiko, reinhard, renate, rene, reza, ria,
  rianne, ricardo, riccardo, richard, rick, rita, rob, robert, roberta, roberto, robin, rodrigo, roger, rohan, rohit,
  roisin, roland, rolf, romain, roman, ron, rosa, rosalie, rose, ross, roxana, roxanne, ruben, rudi, rudolf, rui, runa,
  ruth, ryan, ryo, sabine, sabrina, sacha, sadia, said, sally, salma, salvatore, sam, samantha, samir, samira, samuel,
  sandeep, sandra, sandro, sanjay, sanna, santiago, saoirse, sara, sarah, sascha, saskia, sato, satoshi, savannah, scott,
  sean, sebastian, sebastien, seda, selin, selma, serena, sergei, sergey, sergio, shane, shannon, sharon, shreya, sibel,
  siegfried, sigrid, silke, silvan, silvia, simon, simona, simone, sina, sinead, siobhan, slavica, sofia, sofie, solveig,
  sonia, sonja, sophia, sophie, soren, sota, stacy, stan, stanislav, stefan, stefania, stefanie, steffen, steffi, stella,
  stephan, stephanie, stephen, steve, steven, stine, stuart, sue, suleiman, sunil, suresh, susan, susana, susanne, svea,
  sven, svetlana, swantje, sylvia, szymon, takashi, takumi, tamara, tamas, tania, tanja, tanya, tara, tarek, tariq,
  tatiana, tatjana, ted, teemu, temitope, teresa, tereza, terry, tessa, thea, theo, theodor, theresa, thibault, thierry,
  thilo, thomas, thorben, thorsten, tiago, tibor, tilda, till, tim, timo, tina, tobias, todd, toivo, tom, tomas, tomasz,
  tomislav, tommy, toni, tony, torben, torsten, tova, tracy, tuomas, tuva, udo, ugo, ulf, ulla, ulrich, ulrike, uma,
  ursel, ursula, usha, uwe, valentina, valeria, valerie, valerio, vanessa, vasil, venkat, vera, verena, veronica,
  veronika, victor, victoria, vijay, vikram, viktor, vinay, vincent, viola, violeta, vlad, vladimir, volker, walter,
  waltraud, wanda, wei, wendy, werner, wiebke, wiktor, wilhelm, will, william, wilma, winfried, wojciech, wolfgang,
  wolfram, xavier, xenia, xiao, yael, yan, yana, yann, yannick, yara, yasmin, yasmine, yasuo, yosef, yuki, yuri, yusra,
  yusuf, yuto, yves, yvonne, zainab, zaneta, zara, zbigniew, zdenek, zeynep, zhen, zoe, zofia, zoltan, zuzana`)

/** First names that are also words or technologies: alone they need a verb that only people take. */
const ambiguousNames = set(
  'will, mark, max, may, don, ray, grace, rose, joy, hugo, julia, aurora, dart, pascal, jasmine, jin, till, said, per, rob, sue, chad, lin, jean, jay, rich, bill, art, sandy, drew, faith, hope, jack, ken, dean, jordan, lee, page, gemma, stella, mats, chandra, enzo, rust, stan, mia, ada, sam',
)

/** Accents do not count: `Zoë` is `zoe`. */
export function isFirstName(word: string): boolean {
  const folded = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return (
    firstNames.has(word.toLowerCase()) || firstNames.has(folded) || firstNames.has(folded.split('-')[0] ?? '')
  )
}

export function isAmbiguousName(word: string): boolean {
  return ambiguousNames.has(word.toLowerCase())
}

/** Common nouns for parts of a project, which may be looked up without a name. */
const parts =
  /(?:^| )(?:apis?|service|services|frontend|backend|cluster|gateway|website|dashboard|worker|scheduler|server|pipeline|proxy|app|module|library|job|bot|daemon|queue|registry|adapter|database|broker|store|client|agent|controller|namespace|exporter|importer|loader|parser|crawler|indexer|collector|mailer|generator|renderer|storefront|warehouse|monolith|firmware)$/iu

/** True if a phrase ends with a common noun of a part of a project: `checkout service`. */
export function hasPartNoun(name: string): boolean {
  return parts.test(name)
}
