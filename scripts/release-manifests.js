/**
 * Texts with which package managers of systems install a release: a formula of Homebrew, a flake of Nix,
 * manifests of Scoop and winget. All take the package of npm, or the source, with the Node of their system.
 */

const homepage = 'https://www.npmjs.com/package/memory-service'
const wingetVersion = '1.10.0'

/**
 * @param sha256 of the pack
 * @param setup address and checksum of the setup for Windows; without it winget is left out
 * @returns {Record<string, string>} texts by file name.
 */
export function manifestsOf({ name, version, description, license }, sha256, setup) {
  const url = `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`
  const release = { name, version, description: shortened(description), license, url, sha256 }
  return {
    [`${name}.rb`]: formula(release),
    'flake.nix': flake(release),
    [`${name}.json`]: scoop(release),
    ...(setup && winget(release, setup)),
  }
}

/** Homebrew wants one line below 80 characters without a full stop. */
function shortened(description) {
  return description.split(':')[0]
}

function formula({ description, license, url, sha256 }) {
  return `class MemoryService < Formula
  desc "${description}"
  homepage "${homepage}"
  url "${url}"
  sha256 "${sha256}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    # Its own script does not run here; it keeps the database driver of this system alone.
    cd libexec/"lib/node_modules/memory-service" do
      system "node", "bin/record-node.js"
    end
  end

  service do
    run [opt_bin/"memory", "daemon", "run", "--supervised"]
    keep_alive successful_exit: false
  end

  test do
    ENV["SERVICE_WORKSPACE"] = testpath
    ENV["SERVICE_PORT"] = free_port.to_s
    system bin/"memory", "remember", "the boat is red"
    assert_match "red", shell_output("#{bin}/memory recall boat")
  ensure
    system bin/"memory", "daemon", "stop"
  end
end
`
}

/** The flake lies beside package-lock.json, which names every package with its checksum. */
function flake({ name, version, description }) {
  return `{
  description = "${description}";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.\${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildNpmPackage {
          pname = "${name}";
          version = "${version}";
          src = self;
          nodejs = pkgs.nodejs_24;
          npmDeps = pkgs.importNpmLock { npmRoot = self; };
          npmConfigHook = pkgs.importNpmLock.npmConfigHook;
          # From Node 22 on the database driver is ready made.
          npmFlags = [ "--ignore-scripts" ];
          meta = {
            description = "${description}";
            homepage = "${homepage}";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "memory";
          };
        };
      });
    };
}
`
}

function scoop({ version, description, license, url, sha256, name }) {
  const manifest = {
    version,
    description,
    homepage,
    license,
    depends: 'nodejs-lts',
    url: `${url}#/package.tgz_`,
    hash: sha256,
    installer: {
      script: [
        'Rename-Item "$dir\\package.tgz_" package.tgz',
        'npm install --prefix "$dir" --no-audit --no-fund "$dir\\package.tgz"',
        'Remove-Item "$dir\\package.tgz"',
      ],
    },
    uninstaller: { script: ['memory daemon stop'] },
    bin: [
      ['node_modules\\.bin\\memory.cmd', 'memory'],
      ['node_modules\\.bin\\service-mcp.cmd', 'service-mcp'],
    ],
    checkver: { url: `https://registry.npmjs.org/${name}/latest`, jsonpath: '$.version' },
    autoupdate: { url: `https://registry.npmjs.org/${name}/-/${name}-$version.tgz#/package.tgz_` },
  }
  return `${JSON.stringify(manifest, null, 4)}\n`
}

/** Three files of one package, as the repository of winget wants them. */
function winget({ version, description, license }, setup) {
  const id = 'MemoryService.MemoryService'
  const file = (type, lines) =>
    `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${wingetVersion}.schema.json
PackageIdentifier: ${id}
PackageVersion: ${version}
${lines}
ManifestType: ${type}
ManifestVersion: ${wingetVersion}
`
  return {
    [`${id}.yaml`]: file('version', 'DefaultLocale: en-US'),
    [`${id}.locale.en-US.yaml`]: file(
      'defaultLocale',
      `PackageLocale: en-US
Publisher: memory-service
PackageName: memory-service
PackageUrl: ${homepage}
License: ${license}
ShortDescription: ${JSON.stringify(description)}
Moniker: memory-service`,
    ),
    [`${id}.installer.yaml`]: file(
      'installer',
      `InstallerType: nullsoft
Scope: user
UpgradeBehavior: install
Commands:
- memory
- service-mcp
Dependencies:
  PackageDependencies:
  - PackageIdentifier: OpenJS.NodeJS.LTS
    MinimumVersion: 22.0.0
Installers:
${['x64', 'arm64'].map(architecture => installer(architecture, setup)).join('\n')}`,
    ),
  }
}

/** One setup serves all: the drivers of every system are in the pack. */
function installer(architecture, { url, sha256 }) {
  return `- Architecture: ${architecture}
  InstallerUrl: ${url}
  InstallerSha256: ${sha256.toUpperCase()}`
}
