; The setup for Windows that winget runs: it installs the pack of npm below the user's own programs, with the
; Node of this machine. scripts/release.js compiles it with VERSION, PACK and OUT.
Unicode true
!include LogicLib.nsh
!include WinMessages.nsh
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\memory-service"

Name "memory-service ${VERSION}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\memory-service"
RequestExecutionLevel user
SetCompress off
ShowInstDetails show
Page instfiles
UninstPage instfiles

; A Node that was installed a moment ago is not on the PATH of this process.
!macro FindNode
  SetRegView 64
  ReadRegStr $1 HKLM "SOFTWARE\Node.js" "InstallPath"
  SetRegView default
  ReadEnvStr $2 PATH
  System::Call 'kernel32::SetEnvironmentVariable(t "PATH", t "$1;$2")'
!macroend

; Windows replaces no file that the daemon has open.
!macro StopDaemon
  ${If} ${FileExists} "$INSTDIR\memory.cmd"
    nsExec::ExecToLog 'cmd /d /s /c ""$INSTDIR\memory.cmd" daemon stop"'
    Pop $0
  ${EndIf}
!macroend

; The path is kept as it is written, with its variables. The folder comes by the environment, for any letter in it.
!macro ChangePath WORDS
  System::Call 'kernel32::SetEnvironmentVariable(t "MEMORY_FOLDER", t "$INSTDIR")'
  nsExec::ExecToLog `powershell -NoProfile -Command "$$key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment', $$true); $$path = @($$key.GetValue('Path', '', 'DoNotExpandEnvironmentNames') -split ';' | Where-Object { $$_ -and $$_ -ne $$env:MEMORY_FOLDER })${WORDS}; $$key.SetValue('Path', ($$path -join ';'), 'ExpandString')"`
  Pop $0
  SendMessage ${HWND_BROADCAST} ${WM_WININICHANGE} 0 "STR:Environment" /TIMEOUT=5000
!macroend

Section
  SetOutPath "$INSTDIR"
  !insertmacro FindNode
  !insertmacro StopDaemon
  File "/oname=package.tgz" "${PACK}"
  nsExec::ExecToLog 'cmd /d /s /c "npm install --global --prefix "$INSTDIR" --no-audit --no-fund "$INSTDIR\package.tgz""'
  Pop $0
  Delete "$INSTDIR\package.tgz"
  ${If} $0 != 0
    DetailPrint "npm could not install memory-service. Install Node.js 22 or newer (winget install OpenJS.NodeJS.LTS), then try again."
    SetErrorLevel 2
    Abort
  ${EndIf}
  !insertmacro ChangePath " + $$env:MEMORY_FOLDER"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "memory-service"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "Publisher" "memory-service"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
SectionEnd

; Memories are elsewhere and stay.
Section "Uninstall"
  !insertmacro FindNode
  !insertmacro StopDaemon
  !insertmacro ChangePath ""
  RMDir /r "$INSTDIR\node_modules"
  Delete "$INSTDIR\memory*"
  Delete "$INSTDIR\service-mcp*"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${KEY}"
SectionEnd
